import {
  ConfigError,
  deployment,
  type Env,
  integer,
  optional,
  required,
} from '@windlass/service/process/env.ts'
import { resolve } from 'node:path'

/** What the mail catcher reads from its environment. */
export interface Config {
  smtpPort: number
  port: number
  bindHost: string
  /** Where mails are kept. */
  folder: string
}

/** Throws `ConfigError` on what is missing or wrong, and on the public network, where mails must reach people. */
export function loadConfig(env: Env): Config {
  if (deployment(env).mainnet) {
    throw new ConfigError(
      'IS_MAINNET is true: the mail catcher keeps mails from people and is for local use only',
    )
  }
  return {
    smtpPort: integer(env, 'SMTP_PORT', 1025),
    port: integer(env, 'MAIL_CATCHER_PORT', 1080),
    bindHost: optional(env, 'BIND_HOST') ?? 'localhost',
    folder: resolve(required(env, 'WINDLASS_HOME'), 'mail'),
  }
}
