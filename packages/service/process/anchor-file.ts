import { AnchorConfig } from '@windlass/contracts/internal/anchor-config.ts'
import { readFileSync } from 'node:fs'
import { ConfigError } from './env.ts'
import { compileCheck } from '../http/validation.ts'

const check = compileCheck(AnchorConfig, 'body')

/** `anchor.json` as an anchor's two servers read it at start. Throws `ConfigError` where it is missing or wrong. */
export function readAnchorConfig(path: string): AnchorConfig {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    check(value)
    return value as AnchorConfig
  } catch (error) {
    throw new ConfigError(`ANCHOR_CONFIG (${path}) cannot be used: ${(error as Error).message}`)
  }
}
