"""The law firm's scenarios: are the passages that hold a provision found?"""
