"""What rules about one gate read of it: how often it shows something private, with which noises, and how far what it
shows moves; and the rule that follows from it. No file here is a rule of its own."""
