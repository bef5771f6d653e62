/** Whether bytes are ASCII without control characters: what the ledger takes as home domain and data name. */
export function isPlainText(bytes: Uint8Array): boolean {
  return bytes.every(byte => byte >= 0x20 && byte < 0x7f)
}
