import type { Keypair, xdr } from '@stellar/stellar-sdk'
import { credit, operation, options, pay, trust, xlm, type Laboratory } from './laboratory.ts'

interface Scene {
  readonly issuer: Keypair
  readonly holder: Keypair
  readonly asset: xdr.Asset
}

/** An issuer with flags, and a holder with a line that holds some of its asset. */
export async function issued(
  lab: Laboratory,
  { flags = 0, amount = xlm(100), limit }: { flags?: number; amount?: bigint; limit?: bigint } = {},
): Promise<Scene> {
  const [issuer, holder] = await Promise.all([lab.funded(), lab.funded()])
  const asset = credit('USD', issuer)
  if (flags)
    await lab.succeed({
      source: issuer.publicKey(),
      signers: [issuer],
      operations: [operation(options({ setFlags: flags }))],
    })
  await lab.succeed({
    source: holder.publicKey(),
    signers: [holder],
    operations: [operation(trust(asset, limit))],
  })
  if (amount > 0n)
    await lab.succeed({
      source: issuer.publicKey(),
      signers: [issuer],
      operations: [operation(pay(holder, asset, amount))],
    })
  return { issuer, holder, asset }
}
