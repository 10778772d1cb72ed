print("bulla")
