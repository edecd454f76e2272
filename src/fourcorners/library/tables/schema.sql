-- The tables of a library. `migration.py` has their version; a change needs the next one, and a
-- way there.
--
-- - In `documents` short columns come first: reading a column after a text reads all its pages.
-- - Passages of one document have consecutive rowids in the order of their ordinals, so
--   `documents.first_passage` and `documents.passage_count` name them all (and their rows in `words`).
-- - Vectors are stored per passage (`library/vectors/rows.py` says why), codes per document.
-- - SQLite notices damage to the structure of the file, not to its contents: so a text has a hash,
--   checked whenever the text is read, and vectors and codes have a checksum.
-- - `concordances` holds what can be recomputed: a document that was added before has none.
-- - `words` contains no text: the words are in `documents.text`.
-- - A document belongs to one collection: `documents.key` is the row of that collection and the
--   SHA-256 of the file, so that the same bytes in another are another document.
-- - Values of several fields are JSON objects by the names of the fields (`stored_json.py`).

-- The library

CREATE TABLE IF NOT EXISTS meta(
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The words of headings are in `words.meta` of documents after this row.
INSERT OR IGNORE INTO meta(key, value) VALUES ('headings_after', '0');

CREATE TABLE IF NOT EXISTS collections(
    row  INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fold TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE IF NOT EXISTS documents(
    row           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    key           TEXT NOT NULL UNIQUE,
    first_passage INTEGER NOT NULL,
    passage_count INTEGER NOT NULL,
    name          TEXT NOT NULL,
    path          TEXT NOT NULL,
    media_type    TEXT NOT NULL,
    reader        TEXT NOT NULL,
    title         TEXT NOT NULL,
    type          TEXT NOT NULL,
    characters    INTEGER NOT NULL,
    page_count    INTEGER NOT NULL,
    needs_ocr     TEXT NOT NULL,
    added         TEXT NOT NULL,
    text_sha256   TEXT NOT NULL,
    card          TEXT NOT NULL,
    warnings      TEXT NOT NULL,
    outline       TEXT NOT NULL,
    text          TEXT NOT NULL,
    pages         TEXT NOT NULL,
    marks         TEXT NOT NULL,
    words         TEXT NOT NULL DEFAULT '',
    collection    INTEGER NOT NULL GENERATED ALWAYS AS (CAST(key AS INTEGER)) VIRTUAL,
    sha256        TEXT NOT NULL GENERATED ALWAYS AS (substr(key, instr(key, ':') + 1)) VIRTUAL
) STRICT;
CREATE INDEX IF NOT EXISTS documents_by_collection ON documents(collection);

CREATE TABLE IF NOT EXISTS sources(
    path       TEXT NOT NULL,
    collection INTEGER NOT NULL,
    document   INTEGER NOT NULL REFERENCES documents(row) ON DELETE CASCADE,
    PRIMARY KEY (path, collection)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sources_by_document ON sources(document);

CREATE TABLE IF NOT EXISTS passages(
    row      INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents(row) ON DELETE CASCADE,
    ordinal  INTEGER NOT NULL,
    start    INTEGER NOT NULL,
    "end"    INTEGER NOT NULL,
    view     TEXT NOT NULL,
    node     INTEGER,
    context  TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS passages_by_document ON passages(document, ordinal);

CREATE TABLE IF NOT EXISTS passage_vectors(
    passage INTEGER PRIMARY KEY REFERENCES passages(row) ON DELETE CASCADE,
    data    BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS vectors(
    document INTEGER PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE,
    crc32    INTEGER NOT NULL,
    codes    BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS concordances(
    document INTEGER PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE,
    crc32    INTEGER NOT NULL,
    data     BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    body, meta, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);

CREATE TABLE IF NOT EXISTS collection_sides(
    collection INTEGER PRIMARY KEY REFERENCES collections(row),
    names      TEXT NOT NULL
) STRICT;

-- The parties that a person gave a document, in place of those that were read. They outlive the
-- document, as remarks do: whoever adds it again finds them.
CREATE TABLE IF NOT EXISTS document_parties(
    document TEXT PRIMARY KEY,
    parties  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS jobs(
    row      INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    spec     TEXT NOT NULL,
    created  TEXT NOT NULL,
    finished TEXT,
    done     INTEGER NOT NULL DEFAULT 0,
    failed   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS jobs_unfinished ON jobs(kind, spec) WHERE finished IS NULL;

CREATE TABLE IF NOT EXISTS steps(
    job      INTEGER NOT NULL REFERENCES jobs(row) ON DELETE CASCADE,
    key      TEXT NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('waiting', 'claimed', 'done', 'failed')),
    worker   TEXT NOT NULL,
    lease    REAL NOT NULL,
    attempts INTEGER NOT NULL,
    reason   TEXT NOT NULL,
    remedy   TEXT NOT NULL,
    PRIMARY KEY (job, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS steps_by_state ON steps(job, state, attempts, key);

CREATE TABLE IF NOT EXISTS failures(
    path       TEXT NOT NULL,
    collection TEXT NOT NULL,
    reason     TEXT NOT NULL,
    remedy     TEXT NOT NULL,
    sha256     TEXT NOT NULL,
    job        INTEGER REFERENCES jobs(row) ON DELETE SET NULL,
    at         TEXT NOT NULL,
    PRIMARY KEY (path, collection)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS audit(
    seq      INTEGER PRIMARY KEY,
    at       TEXT NOT NULL,
    event    TEXT NOT NULL,
    detail   TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash     TEXT NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS audit_refuses_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER IF NOT EXISTS audit_refuses_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER IF NOT EXISTS audit_refuses_gaps BEFORE INSERT ON audit
WHEN NEW.seq != (SELECT coalesce(max(seq), 0) + 1 FROM audit)
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE INDEX IF NOT EXISTS audit_by_event ON audit(event, seq);

-- Answers of language models, and the ledger of calls

CREATE TABLE IF NOT EXISTS llm_answers(
    key    TEXT PRIMARY KEY,
    answer TEXT NOT NULL,
    kept   TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS llm_answers_go_with_documents AFTER DELETE ON documents
BEGIN DELETE FROM llm_answers; END;

CREATE TABLE IF NOT EXISTS llm_calls(
    id             INTEGER PRIMARY KEY,
    at             TEXT NOT NULL,
    job            TEXT NOT NULL,
    role           TEXT NOT NULL,
    model          TEXT NOT NULL,
    prompt         TEXT NOT NULL,
    prompt_version INTEGER NOT NULL,
    prompt_hash    TEXT NOT NULL,
    key            TEXT NOT NULL,
    tokens_in      INTEGER NOT NULL,
    tokens_out     INTEGER NOT NULL,
    cost           REAL,
    seconds        REAL NOT NULL,
    measured       INTEGER NOT NULL,
    outcome        TEXT NOT NULL,
    tag            TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS llm_calls_of_job ON llm_calls(job);

-- Links between documents

CREATE TABLE IF NOT EXISTS graph_state(
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS graph_documents(
    document   TEXT PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
    statements TEXT NOT NULL,
    resolved   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS graph_parties(
    document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    key      TEXT NOT NULL,
    name     TEXT NOT NULL,
    PRIMARY KEY (document, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_parties_by_key ON graph_parties(key, document);

CREATE TABLE IF NOT EXISTS graph_amendments(
    document   TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    start      INTEGER NOT NULL,
    "end"      INTEGER NOT NULL,
    relation   TEXT NOT NULL,
    title      TEXT NOT NULL,
    dated      TEXT NOT NULL,
    target     TEXT REFERENCES documents(id) ON DELETE CASCADE,
    confidence REAL NOT NULL,
    because    TEXT NOT NULL,
    PRIMARY KEY (document, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_amendments_by_target ON graph_amendments(target);

-- Clause banks and precedents

CREATE TABLE IF NOT EXISTS bank_clauses(
    row       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL,
    bank      TEXT NOT NULL,
    provision TEXT NOT NULL,
    text      TEXT NOT NULL,
    stars     INTEGER CHECK (stars BETWEEN 1 AND 5),
    source    TEXT NOT NULL,
    start     INTEGER,
    "end"     INTEGER,
    tags      TEXT NOT NULL,
    added     TEXT NOT NULL,
    UNIQUE (bank, id)
) STRICT;
CREATE INDEX IF NOT EXISTS bank_clauses_by_provision ON bank_clauses(bank, provision);

CREATE TABLE IF NOT EXISTS bank_ratings(
    bank   TEXT NOT NULL,
    clause TEXT NOT NULL,
    rater  TEXT NOT NULL,
    stars  INTEGER NOT NULL CHECK (stars BETWEEN 1 AND 5),
    rated  TEXT NOT NULL,
    UNIQUE (bank, clause, rater)
) STRICT;

CREATE TABLE IF NOT EXISTS precedent_adapters(
    row     INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    sha256  TEXT NOT NULL,
    encoder TEXT NOT NULL,
    ranker  TEXT NOT NULL,
    card    TEXT NOT NULL,
    data    BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS precedent_vectors(
    encoder TEXT NOT NULL,
    clause  TEXT NOT NULL,
    data    BLOB NOT NULL,
    PRIMARY KEY (encoder, clause)
) STRICT, WITHOUT ROWID;

-- Reviews

CREATE TABLE IF NOT EXISTS remarks(
    row         INTEGER PRIMARY KEY,
    document    TEXT NOT NULL,
    playbook    TEXT NOT NULL,
    provision   TEXT NOT NULL,
    by          TEXT NOT NULL,
    author      TEXT NOT NULL,
    at          TEXT NOT NULL,
    state       TEXT,
    value       TEXT NOT NULL,
    start       INTEGER,
    "end"       INTEGER,
    comment     TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    seen        TEXT NOT NULL,
    sha256      TEXT NOT NULL,
    answers     TEXT,
    severity    TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS remarks_by_cell ON remarks(playbook, document, provision, row);
CREATE TRIGGER IF NOT EXISTS remarks_refuse_update BEFORE UPDATE ON remarks
BEGIN SELECT RAISE(ABORT, 'remarks are append-only'); END;
CREATE TRIGGER IF NOT EXISTS remarks_refuse_delete BEFORE DELETE ON remarks
BEGIN SELECT RAISE(ABORT, 'remarks are append-only'); END;
CREATE TRIGGER IF NOT EXISTS remarks_refuse_gaps BEFORE INSERT ON remarks
WHEN NEW.row != (SELECT coalesce(max(row), 0) + 1 FROM remarks)
BEGIN SELECT RAISE(ABORT, 'remarks are append-only'); END;

CREATE TABLE IF NOT EXISTS review_findings(
    document  TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    playbook  TEXT NOT NULL,
    provision TEXT NOT NULL,
    engine    TEXT NOT NULL,
    state     TEXT NOT NULL,
    finding   TEXT NOT NULL,
    made      TEXT NOT NULL,
    PRIMARY KEY (document, playbook, provision)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS review_findings_by_playbook ON review_findings(playbook, state, engine);
CREATE INDEX IF NOT EXISTS review_findings_by_document ON review_findings(playbook, document, made);

-- What the grid shows of each finding: it lists half a million cells without reading a finding.
CREATE TABLE IF NOT EXISTS review_summaries(
    document   TEXT NOT NULL,
    playbook   TEXT NOT NULL,
    provision  TEXT NOT NULL,
    made       TEXT NOT NULL,
    state      TEXT NOT NULL,
    severity   TEXT NOT NULL,
    statements TEXT NOT NULL,
    PRIMARY KEY (document, playbook, provision),
    FOREIGN KEY (document, playbook, provision)
        REFERENCES review_findings(document, playbook, provision) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS review_summaries_by_time ON review_summaries(playbook, made);

-- Answers to questions

CREATE TABLE IF NOT EXISTS server_columns(
    row        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    version    INTEGER NOT NULL,
    fold       TEXT NOT NULL,
    collection TEXT NOT NULL,
    playbook   TEXT NOT NULL,
    question   TEXT NOT NULL,
    way        TEXT NOT NULL,
    stands     INTEGER NOT NULL,
    by         TEXT NOT NULL,
    at         TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS server_columns_by_review ON server_columns(fold, playbook, row);
CREATE INDEX IF NOT EXISTS server_columns_by_id ON server_columns(id, row);
CREATE TRIGGER IF NOT EXISTS server_columns_refuse_update BEFORE UPDATE ON server_columns
BEGIN SELECT RAISE(ABORT, 'columns are append-only'); END;
CREATE TRIGGER IF NOT EXISTS server_columns_refuse_delete BEFORE DELETE ON server_columns
BEGIN SELECT RAISE(ABORT, 'columns are append-only'); END;

CREATE TABLE IF NOT EXISTS research_answers(
    id       TEXT PRIMARY KEY,
    made     TEXT NOT NULL,
    question TEXT NOT NULL,
    ruling   TEXT NOT NULL,
    made_by  TEXT NOT NULL,
    answer   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS research_sources(
    answer   TEXT NOT NULL REFERENCES research_answers(id) ON DELETE CASCADE,
    document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    PRIMARY KEY (answer, document)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS research_forgets AFTER DELETE ON research_sources
BEGIN DELETE FROM research_answers WHERE id = old.answer; END;

CREATE TABLE IF NOT EXISTS server_answers(
    task       TEXT PRIMARY KEY,
    answer     TEXT NOT NULL REFERENCES research_answers(id) ON DELETE CASCADE,
    collection TEXT NOT NULL,
    asked_by   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS server_answers_by_answer ON server_answers(answer);

-- Accounts

CREATE TABLE IF NOT EXISTS server_users(
    name       TEXT PRIMARY KEY,
    password   TEXT NOT NULL,
    disabled   INTEGER NOT NULL DEFAULT 0,
    created    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_roles(
    user       TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    collection TEXT NOT NULL,
    role       INTEGER NOT NULL,
    PRIMARY KEY (user, collection)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_tokens(
    id         TEXT PRIMARY KEY,
    hash       TEXT NOT NULL UNIQUE,
    user       TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    note       TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    created    TEXT NOT NULL,
    expires    REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_sessions(
    hash       TEXT PRIMARY KEY,
    user       TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    begun      REAL NOT NULL,
    seen       REAL NOT NULL,
    ends       REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_second_factors(
    user   TEXT PRIMARY KEY REFERENCES server_users(name) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    step   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_recovery_codes(
    hash   TEXT PRIMARY KEY,
    user   TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_codes_awaited(
    hash  TEXT PRIMARY KEY,
    user  TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    begun REAL NOT NULL,
    tries INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_oidc_people(
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user       TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_oidc_expected(
    user       TEXT PRIMARY KEY REFERENCES server_users(name) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_oidc_roles(
    user       TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    collection TEXT NOT NULL,
    role       INTEGER NOT NULL,
    until      REAL NOT NULL,
    PRIMARY KEY (user, collection)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_oidc_begun(
    state      TEXT PRIMARY KEY,
    leads_to   TEXT NOT NULL,
    begun      REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_oidc_sessions(
    hash    TEXT PRIMARY KEY,
    issuer  TEXT NOT NULL,
    subject TEXT NOT NULL,
    sid     TEXT NOT NULL,
    begun   REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS server_oidc_sessions_by_subject
ON server_oidc_sessions(issuer, subject, sid);
CREATE INDEX IF NOT EXISTS server_oidc_sessions_by_sid ON server_oidc_sessions(issuer, sid);

CREATE TABLE IF NOT EXISTS server_oidc_logouts(
    id    TEXT PRIMARY KEY,
    until REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_secrets(
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The server

CREATE TABLE IF NOT EXISTS server_tasks(
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    lane       TEXT NOT NULL,
    collection TEXT NOT NULL,
    spec       TEXT NOT NULL,
    asked_by   TEXT NOT NULL,
    state      TEXT NOT NULL,
    done       INTEGER NOT NULL DEFAULT 0,
    total      INTEGER NOT NULL DEFAULT 0,
    failed     INTEGER NOT NULL DEFAULT 0,
    note       TEXT NOT NULL DEFAULT '',
    result     TEXT NOT NULL DEFAULT '{}',
    reason     TEXT NOT NULL DEFAULT '',
    remedy     TEXT NOT NULL DEFAULT '',
    created    TEXT NOT NULL,
    finished   TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS server_tasks_by_time ON server_tasks(created DESC, id DESC);

CREATE TABLE IF NOT EXISTS server_steps(
    task   TEXT NOT NULL,
    number INTEGER NOT NULL,
    told   TEXT NOT NULL,
    PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_once(
    key    TEXT PRIMARY KEY,
    asked  TEXT NOT NULL,
    answer TEXT NOT NULL,
    at     REAL NOT NULL,
    worker TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_uploads(
    folder TEXT PRIMARY KEY,
    worker TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_webhooks(
    id         TEXT PRIMARY KEY,
    collection TEXT NOT NULL,
    url        TEXT NOT NULL,
    secret     TEXT NOT NULL,
    by         TEXT NOT NULL,
    local      INTEGER NOT NULL,
    created    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_deliveries(
    row        INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook    TEXT NOT NULL REFERENCES server_webhooks(id) ON DELETE CASCADE,
    task       TEXT NOT NULL,
    collection TEXT NOT NULL,
    body       TEXT NOT NULL,
    state      TEXT NOT NULL,
    attempts   INTEGER NOT NULL,
    due        REAL NOT NULL,
    reason     TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS server_deliveries_due ON server_deliveries(state, due);
CREATE INDEX IF NOT EXISTS server_deliveries_of ON server_deliveries(webhook, row);

CREATE TABLE IF NOT EXISTS server_playbooks(
    row  INTEGER PRIMARY KEY,
    id   TEXT NOT NULL,
    text TEXT NOT NULL,
    by   TEXT NOT NULL,
    at   TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS server_playbooks_by_id ON server_playbooks(id, row DESC);

CREATE TABLE IF NOT EXISTS server_papers(
    fold     TEXT PRIMARY KEY,
    as_of    TEXT NOT NULL,
    made     TEXT NOT NULL,
    members  TEXT NOT NULL,
    symptoms INTEGER NOT NULL,
    found    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_markups(
    row      INTEGER PRIMARY KEY,
    document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    playbook TEXT NOT NULL,
    person   TEXT NOT NULL,
    at       TEXT NOT NULL,
    markup   TEXT NOT NULL,
    UNIQUE (document, playbook, person)
) STRICT;

CREATE TABLE IF NOT EXISTS server_decisions(
    markup   INTEGER NOT NULL REFERENCES server_markups(row) ON DELETE CASCADE,
    change   TEXT NOT NULL,
    decision TEXT NOT NULL,
    PRIMARY KEY (markup, change)
) STRICT, WITHOUT ROWID;

-- What people are notified of; `collection` is folded, and `""` where it concerns none

CREATE TABLE IF NOT EXISTS server_notices(
    row        INTEGER PRIMARY KEY AUTOINCREMENT,
    person     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    by         TEXT NOT NULL,
    at         TEXT NOT NULL,
    collection TEXT NOT NULL,
    document   TEXT NOT NULL DEFAULT '',
    playbook   TEXT NOT NULL DEFAULT '',
    provision  TEXT NOT NULL DEFAULT '',
    seen       TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX IF NOT EXISTS server_notices_of ON server_notices(person, seen, row);

-- Which reviews leave out what is added to a collection later; `fold` is its folded name

CREATE TABLE IF NOT EXISTS server_arrivals(
    fold     TEXT NOT NULL,
    playbook TEXT NOT NULL,
    PRIMARY KEY (fold, playbook)
) STRICT, WITHOUT ROWID;

-- Tags that people give documents; `fold` is one in the form in which tags are compared

CREATE TABLE IF NOT EXISTS document_tags(
    document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    fold     TEXT NOT NULL,
    tag      TEXT NOT NULL,
    PRIMARY KEY (document, fold)
) STRICT, WITHOUT ROWID;

-- Files of watched folders that were taken; `stamp` is their size and time. Where `path` is
-- 'feeds ' and the folded name in the settings, `stamp` is what that collection is called now;
-- where it is 'stopped ' and that name, why nothing is added, and since when.

CREATE TABLE IF NOT EXISTS server_watched(
    folder TEXT NOT NULL,
    path   TEXT NOT NULL,
    stamp  TEXT NOT NULL,
    PRIMARY KEY (folder, path)
) STRICT, WITHOUT ROWID;

-- The last document that a collection had when someone looked; `fold` is its folded name

CREATE TABLE IF NOT EXISTS server_visits(
    person TEXT NOT NULL,
    fold   TEXT NOT NULL,
    last   INTEGER NOT NULL,
    PRIMARY KEY (person, fold)
) STRICT, WITHOUT ROWID;

-- Comments that were withdrawn, and by which later remark

CREATE TABLE IF NOT EXISTS withdrawn_remarks(
    remark INTEGER PRIMARY KEY,
    by     INTEGER NOT NULL
) STRICT;

-- Views of a review that people saved; `collection` is folded, `query` is that of the grid's address

CREATE TABLE IF NOT EXISTS server_views(
    row        INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL,
    playbook   TEXT NOT NULL,
    person     TEXT NOT NULL,
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,
    shared     INTEGER NOT NULL,
    at         TEXT NOT NULL,
    UNIQUE (collection, playbook, person, name)
) STRICT;

-- Which contract a document belongs to because a person said so; `head` is empty where to none

CREATE TABLE IF NOT EXISTS document_families(
    document TEXT PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
    head     TEXT NOT NULL,
    by       TEXT NOT NULL,
    at       TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The files of long exports, which wait for a day

CREATE TABLE IF NOT EXISTS server_exports(
    task TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    at   REAL NOT NULL,
    data BLOB NOT NULL
) STRICT;

-- Codes by which a person connects the add-in for Word

CREATE TABLE IF NOT EXISTS server_word_codes(
    hash  TEXT PRIMARY KEY,
    user  TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    begun REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Questions that follow the answer to an earlier one

CREATE TABLE IF NOT EXISTS server_follow_ups(
    answer  TEXT PRIMARY KEY REFERENCES research_answers(id) ON DELETE CASCADE,
    earlier TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What a version of a column is called, and which kind of answer it asks for

CREATE TABLE IF NOT EXISTS server_column_forms(
    id      TEXT NOT NULL,
    version INTEGER NOT NULL,
    short   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    PRIMARY KEY (id, version)
) STRICT, WITHOUT ROWID;

-- What a firm notes of a clause of a bank; days as ISO 8601 has them, and `''` where nothing is

CREATE TABLE IF NOT EXISTS bank_facts(
    bank        TEXT NOT NULL,
    clause      TEXT NOT NULL,
    owner       TEXT NOT NULL,
    approved_by TEXT NOT NULL,
    approved    TEXT NOT NULL,
    law         TEXT NOT NULL,
    expires     TEXT NOT NULL,
    PRIMARY KEY (bank, clause)
) STRICT, WITHOUT ROWID;

-- Where a person's notices are mailed to: up to which one (`sent`), and when it is tried next

CREATE TABLE IF NOT EXISTS server_mail(
    person   TEXT PRIMARY KEY,
    address  TEXT NOT NULL,
    digest   TEXT NOT NULL,
    sent     INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due      REAL NOT NULL DEFAULT 0,
    reason   TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- Which collection a version of a house playbook belongs to; `collection` is folded

CREATE TABLE IF NOT EXISTS server_playbook_homes(
    version    INTEGER PRIMARY KEY REFERENCES server_playbooks(row) ON DELETE CASCADE,
    collection TEXT NOT NULL
) STRICT;

-- The obligations of a contract as they were listed; `state` identifies what they were listed from,
-- and `heads` has what they are filtered and sorted by

CREATE TABLE IF NOT EXISTS obligation_lists(
    document TEXT PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
    state    TEXT NOT NULL,
    heads    TEXT NOT NULL,
    found    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How many findings a notice concerns, if several

CREATE TABLE IF NOT EXISTS server_notice_findings(
    notice   INTEGER PRIMARY KEY REFERENCES server_notices(row) ON DELETE CASCADE,
    findings INTEGER NOT NULL
) STRICT;

-- Where a session began: the address, and the browser as its header describes it

CREATE TABLE IF NOT EXISTS server_session_origins(
    hash    TEXT PRIMARY KEY REFERENCES server_sessions(hash) ON DELETE CASCADE,
    address TEXT NOT NULL,
    browser TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When someone last signed in

CREATE TABLE IF NOT EXISTS server_last_sign_ins(
    user TEXT PRIMARY KEY REFERENCES server_users(name) ON DELETE CASCADE,
    at   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Links by which a person chooses a new password, once

CREATE TABLE IF NOT EXISTS server_password_links(
    hash TEXT PRIMARY KEY,
    user TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    ends REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Who asked for such a link by mail, and when it is to be mailed

CREATE TABLE IF NOT EXISTS server_link_requests(
    user  TEXT PRIMARY KEY REFERENCES server_users(name) ON DELETE CASCADE,
    asked REAL NOT NULL,
    due   REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- What a directory says of people and groups by SCIM; a `deleted` person is one it has taken out

CREATE TABLE IF NOT EXISTS server_scim_people(
    user     TEXT PRIMARY KEY REFERENCES server_users(name) ON DELETE CASCADE,
    external TEXT NOT NULL DEFAULT '',
    deleted  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_scim_groups(
    id       TEXT PRIMARY KEY,
    name     TEXT NOT NULL,
    external TEXT NOT NULL,
    created  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_scim_members(
    id   TEXT NOT NULL REFERENCES server_scim_groups(id) ON DELETE CASCADE,
    user TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    PRIMARY KEY (id, user)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_scim_roles(
    user       TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    collection TEXT NOT NULL,
    role       INTEGER NOT NULL,
    PRIMARY KEY (user, collection)
) STRICT, WITHOUT ROWID;

-- Passkeys: their public keys, and how often each has signed as its device counts

CREATE TABLE IF NOT EXISTS server_passkeys(
    id         TEXT PRIMARY KEY,
    user       TEXT NOT NULL REFERENCES server_users(name) ON DELETE CASCADE,
    public_key TEXT NOT NULL,
    uses       INTEGER NOT NULL,
    name       TEXT NOT NULL,
    created    TEXT NOT NULL,
    used       TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS server_passkey_challenges(
    hash  TEXT PRIMARY KEY,
    user  TEXT NOT NULL,
    begun REAL NOT NULL
) STRICT, WITHOUT ROWID;
-- Originals in buckets. `section` is the bucket's in the settings, `''` for the first; `stored` is
-- when the object was stored and read back, `''` until then, and `reason` why that failed.

CREATE TABLE IF NOT EXISTS original_files(
    document TEXT PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
    section  TEXT NOT NULL,
    address  TEXT NOT NULL,
    stored   TEXT NOT NULL,
    reason   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Objects that belong to no document: they are being stored by a worker, or must be deleted, which
-- is tried until it is done

CREATE TABLE IF NOT EXISTS loose_files(
    address  TEXT PRIMARY KEY,
    section  TEXT NOT NULL,
    document TEXT NOT NULL,
    worker   TEXT NOT NULL,
    reason   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS original_files_leave_objects AFTER DELETE ON original_files
WHEN old.address != ''
BEGIN INSERT INTO loose_files VALUES (old.address, old.section, old.document, '', ''); END;

-- The bucket of a collection, where it is not that of all; `section` as above

CREATE TABLE IF NOT EXISTS collection_buckets(
    collection INTEGER PRIMARY KEY REFERENCES collections(row) ON DELETE CASCADE,
    section    TEXT NOT NULL
) STRICT;

-- After how many days the contracts of a collection are due for deletion

CREATE TABLE IF NOT EXISTS collection_retention(
    collection INTEGER PRIMARY KEY REFERENCES collections(row) ON DELETE CASCADE,
    days       INTEGER NOT NULL,
    by         TEXT NOT NULL,
    at         TEXT NOT NULL
) STRICT;

-- Collections of which nothing may be deleted, and why

CREATE TABLE IF NOT EXISTS collection_holds(
    collection INTEGER PRIMARY KEY REFERENCES collections(row) ON DELETE CASCADE,
    reason     TEXT NOT NULL,
    by         TEXT NOT NULL,
    at         TEXT NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS collection_holds_keep_documents BEFORE DELETE ON documents
WHEN EXISTS (SELECT 1 FROM collection_holds WHERE collection = old.collection)
BEGIN SELECT RAISE(ABORT, 'the collection is under a legal hold'); END;
CREATE TRIGGER IF NOT EXISTS collection_holds_keep_collections BEFORE DELETE ON collections
WHEN EXISTS (SELECT 1 FROM collection_holds WHERE collection = old.row)
BEGIN SELECT RAISE(ABORT, 'the collection is under a legal hold'); END;
