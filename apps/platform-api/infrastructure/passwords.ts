import { type Options, hash, verify } from '@node-rs/argon2'

// Argon2id is the library's default; the cost is OWASP's: 19 MiB, two passes, one lane.
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Argon2id in PHC form; computed off the event loop. */
export const hashPassword = (password: string): Promise<string> => hash(password.normalize('NFKC'), COST)

export const isPassword = (password: string, hashed: string): Promise<boolean> =>
  verify(hashed, password.normalize('NFKC'))
