import { Memo, type Keypair } from '@stellar/stellar-sdk/base'
import { startRunningAnchor, type RunningAnchor } from '@windlass/sep-server/testing/running-anchor.ts'
import { begin } from '@windlass/sep-server/testing/transfers.ts'
import { acceptedWallet, give, payAnchor } from '@windlass/sep-server/testing/wallet.ts'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Folders of the package @stellar/anchor-tests, compiled; docs/guides/tested-with.md says how to get them. */
const SUITES = (process.env.ANCHOR_TESTS ?? '').split(delimiter).filter(Boolean)
if (SUITES.length === 0)
  console.warn(
    'SKIPPED: the official suite of anchor tests: ANCHOR_TESTS=/path/to/@stellar/anchor-tests names it',
  )
const TAKES_MS = 300_000
const code = 'MUMBAI'

const dest = 'DE89370400440532013000'
const details = { amount: '100', dest, dest_name: 'Asha Rao' }
const person = { first_name: 'Asha', last_name: 'Rao', email_address: 'asha@example.com' }
const customers = {
  toBeCreated: person,
  toBeDeleted: { ...person, email_address: 'gone@example.com' },
  sender: {
    type: 'sep31-sender',
    first_name: 'Alice',
    last_name: 'Adams',
    address: '1 High Street, London, GBR',
  },
  receiver: {
    type: 'sep31-receiver',
    first_name: 'Bob',
    last_name: 'Bose',
    bank_account_number: dest,
  },
}

const summaryOf = (said: string) => /^Tests: +(.*)$/m.exec(said)?.[1] ?? said

describe.skipIf(SUITES.length === 0)('the official suite of anchor tests', () => {
  let running: RunningAnchor
  let folder: string
  beforeAll(async () => {
    running = await startRunningAnchor({ rails: ['SEPA'], assetCode: code })
    folder = mkdtempSync(join(tmpdir(), 'anchor-tests-'))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await running.stop()
  })

  /** Names a new account: what another run has begun would wait for its customer. */
  async function configuration() {
    const account = await acceptedWallet(running)
    await give(running, account, '500')
    return {
      6: {
        deposit: { transactionFields: {} },
        withdraw: { types: { sepa: { transactionFields: { dest, dest_extra: 'COBADEFFXXX' } } } },
      },
      12: {
        customers,
        createCustomer: 'toBeCreated',
        deleteCustomer: 'toBeDeleted',
        sameAccountDifferentMemos: ['sender', 'receiver'],
      },
      24: await transactionsOf(account),
      31: {
        sendingAnchorClientSecret: account.secret(),
        sendingClientName: 'sender',
        receivingClientName: 'receiver',
        transactionFields: {},
      },
      38: { contexts: ['sep6', 'sep31'] },
    }
  }

  /** A wallet's deposits and withdrawals by SEP-24, some of them completed. */
  async function transactionsOf(account: Keypair) {
    const started = async (side: 'deposit' | 'withdraw') => {
      const begun = await begin(running, account, side, { amount: '100' })
      const submit = (step: string, form = {}) =>
        begun.browser.submit(`/interactive/t/${begun.id}/${step}`, form)
      if (side === 'withdraw') await submit('details', details)
      await submit('confirm')
      return { ...begun, submit }
    }
    const [pending, deposit] = [await started('deposit'), await started('deposit')]
    const [waiting, withdrawal] = [await started('withdraw'), await started('withdraw')]
    await deposit.submit('paid')
    const { withdraw_memo = '' } = await withdrawal.becomes('pending_user_transfer_start')
    await payAnchor(running, account, '100', Memo.id(withdraw_memo))
    return {
      account: { secretKey: account.secret() },
      depositPendingTransaction: await pending.becomes('pending_user_transfer_start'),
      depositCompletedTransaction: await deposit.becomes('completed'),
      withdrawPendingUserTransferStartTransaction: await waiting.becomes('pending_user_transfer_start'),
      withdrawCompletedTransaction: await withdrawal.becomes('completed'),
    }
  }

  it.each(SUITES)(
    'passes whole: %s',
    async suite => {
      const { version } = JSON.parse(readFileSync(join(suite, 'package.json'), 'utf8')) as { version: string }
      const { publicUrl } = running.anchor
      writeFileSync(join(folder, 'config.json'), JSON.stringify(await configuration()))
      const said = await run(suite, [
        ...['--home-domain', publicUrl, '--asset-code', code, '--sep-config', join(folder, 'config.json')],
        ...['--verbose', '--seps', '1', '6', '10', '12', '24', '31', '38'],
      ])
      console.log(`@stellar/anchor-tests ${version}: ${summaryOf(said)}`)
      expect([summaryOf(said), said]).toEqual([
        expect.stringMatching(/^\d+ passed, 4 skipped, \d+ total$/),
        expect.stringContaining('SEP-31 ‣ GET /transactions/:id'),
      ])
    },
    TAKES_MS,
  )

  /** What the suite says; it ends with 1 where a test fails. */
  function run(suite: string, args: string[]): Promise<string> {
    const hosts = {
      [running.anchor.plan.homeDomain]: `http://127.0.0.1:${running.frontPort}`,
      'friendbot.stellar.org': running.network.friendbotUrl,
      'horizon-testnet.stellar.org': running.network.url,
    }
    const preload = join(import.meta.dirname, 'suite-hosts.ts')
    return new Promise(resolve => {
      execFile(
        process.execPath,
        ['--import', preload, join(suite, 'lib/cli.js'), ...args],
        { env: { ...process.env, SUITE_HOSTS: JSON.stringify(hosts) }, maxBuffer: 2 ** 26 },
        (_error, stdout, stderr) => resolve(stripVTControlCharacters(stdout + stderr)),
      )
    })
  }
})
