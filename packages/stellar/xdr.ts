/** The bytes are not what they should be; the message says what was expected. */
export class XdrError extends Error {}

/** Reads XDR (RFC 4506) from its beginning to its end. Every method throws {@link XdrError} where it is something else. */
export class XdrReader {
  private at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get position(): number {
    return this.at
  }

  fixed(size: number): Buffer {
    const end = this.at + size
    if (end > this.bytes.length) throw new XdrError('it ends too early')
    const part = this.bytes.subarray(this.at, end)
    this.at = end
    return part
  }

  uint32(): number {
    return this.fixed(4).readUInt32BE()
  }

  uint64(): bigint {
    return this.fixed(8).readBigUInt64BE()
  }

  int64(): bigint {
    return this.fixed(8).readBigInt64BE()
  }

  flag(): boolean {
    const value = this.uint32()
    if (value > 1) throw new XdrError('a flag must be 0 or 1')
    return value === 1
  }

  /** Bytes of variable length, filled up with zeros to a multiple of four. */
  opaque(max: number): Buffer {
    const size = this.uint32()
    if (size > max) throw new XdrError(`a text is longer than ${max}`)
    const part = this.fixed(size)
    if (this.fixed(-size & 3).some(byte => byte !== 0)) throw new XdrError('it is not filled up with zeros')
    return part
  }

  count(max: number): number {
    const count = this.uint32()
    if (count > max) throw new XdrError(`a list is longer than ${max}`)
    return count
  }

  end(): void {
    if (this.at !== this.bytes.length) throw new XdrError('something follows')
  }
}

/** Writes XDR. */
export class XdrWriter {
  private readonly parts: Uint8Array[] = []

  fixed(bytes: Uint8Array): this {
    this.parts.push(bytes)
    return this
  }

  uint32(value: number): this {
    const part = Buffer.alloc(4)
    part.writeUInt32BE(value)
    return this.fixed(part)
  }

  uint64(value: bigint): this {
    const part = Buffer.alloc(8)
    part.writeBigUInt64BE(value)
    return this.fixed(part)
  }

  opaque(bytes: Uint8Array): this {
    return this.uint32(bytes.length)
      .fixed(bytes)
      .fixed(Buffer.alloc(-bytes.length & 3))
  }

  bytes(): Buffer {
    return Buffer.concat(this.parts)
  }
}
