-- What the pages post to the wallet that opened them: at the end of the customer's part (`callback`), and at each change.
ALTER TABLE transfers ADD COLUMN posts_changes boolean NOT NULL DEFAULT false;
