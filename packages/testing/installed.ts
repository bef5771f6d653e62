import { spawnSync } from 'node:child_process'

/** What other languages' clients are tested with. */
export const GO_SDK = 'github.com/stellar/go-stellar-sdk@v0.7.3'

/** Whether a program succeeds without a network. */
export function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', env: { ...process.env, GOPROXY: 'off' } }).status === 0
}

export function hasPythonSdk(): boolean {
  return works('python3', '-c', 'import requests, stellar_sdk')
}

/** A parser of OFX. */
export function hasOfxtools(): boolean {
  return works('python3', '-c', 'import ofxtools')
}

/** A parser of NACHA files that checks their sums. */
export function hasAchkit(): boolean {
  return works('python3', '-c', 'import achkit')
}

export function hasGoSdk(): boolean {
  return works('go', 'mod', 'download', GO_SDK)
}
