import { type Command, readFlags } from '../command.ts'
import { runPlatformScript } from './platform-script.ts'

export const verifyAudit: Command = {
  summary: 'checks that no entry of the audit log was edited or removed',
  usage: `npm run audit:verify [-- --json]

Follows the chain of hashes over the platform's audit log, and compares its end with the signature (PLATFORM_KEY)
and with the ledger (AUDIT_LEDGER_ACCOUNT, HORIZON_URL). Reads the database of the running stack, or the one that
PLATFORM_DATABASE_URL names. Exit codes: 0 unchanged, 1 changed.`,
  run: async ({ args, environment, home }) => {
    const { flags } = readFlags(args, ['json'])
    return runPlatformScript('audit/main.ts', flags.json ? ['--json'] : [], { environment, home })
  },
}
