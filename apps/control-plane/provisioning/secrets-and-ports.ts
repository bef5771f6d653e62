import { randomSecret, type SecretRole } from '../anchors/vault.ts'
import { allocatePorts } from '../servers/pair.ts'
import type { StageContext } from './stage.ts'

const MACHINE_SECRETS: readonly SecretRole[] = ['sep_jwt', 'service', 'summary', 'link', 'database']

/** What an anchor's servers and its database need, created the first time. */
export async function keepSecretsAndPorts({ deps, plan, vault, fenced }: StageContext): Promise<void> {
  await fenced(async tx => {
    for (const role of MACHINE_SECRETS) await vault.ensure(tx, role, randomSecret)
    await allocatePorts(tx, deps, plan.anchorId)
  })
}
