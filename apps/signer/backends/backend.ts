/** A key as it is stored. */
interface StoredKey {
  /** Names the key: `<anchor id>:<role>`. */
  label: string
  /** What the backend finds it by. */
  reference: string
}

/** Where private keys are. */
export interface Backend {
  /** An Ed25519 key: the one of that label where an earlier attempt made it. Resolves to its 32 bytes. */
  create(label: string): Promise<{ publicKey: Buffer; reference: string }>
  /** The 64 bytes of an Ed25519 signature over `bytes` themselves, not over their hash. */
  sign(key: StoredKey, bytes: Uint8Array): Promise<Buffer>
}
