import { hasChromium, openPage, visit } from '@windlass/ui/testing/browser.ts'
import { shippedScripts } from '@windlass/ui/testing/shipped-scripts.ts'
import { visitSlowly } from '@windlass/ui/testing/slow-visit.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { ANCHOR, DOMAIN, type OperatorsState } from './testing/operators-state.ts'
import { workspacesInBrowser } from './testing/workspaces.ts'

describe.runIf(hasChromium('what a workspace has for developers in a browser'))(
  'what a workspace has for developers',
  () => {
    const { answer, console, open } = workspacesInBrowser()
    let state: OperatorsState
    beforeEach(() => void (state = answer()))

    test('an operation of the API is read about and sent with the reader’s own key, which is not kept', async () => {
      const { page, faults } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/developers`, 'API reference')
      expect(await page.getByText('Whether it is healthy').count()).toBe(0)
      await page.getByText('One deposit or withdrawal').click()
      await page.getByText('There is no such transaction').waitFor()
      await page.getByRole('button', { name: 'Send GET request' }).click()
      await page.getByRole('link', { name: 'Enter an API key of this anchor' }).waitFor()
      await page.getByRole('link', { name: 'Enter id' }).waitFor()
      await page.getByLabel('API key').fill('wl_test_mine')
      await page.getByLabel('id', { exact: true }).fill('tx/1')
      await page.getByRole('button', { name: 'Send GET request' }).click()
      await page.getByLabel('Body of the answer').getByText('tx_1').waitFor()
      const sent = () => console.platform.requests.findLast(({ line }) => line.endsWith('developer-requests'))
      expect(sent()?.asked.body).toEqual({
        method: 'GET',
        path: '/api/v1/transactions/tx%2F1',
        key: 'wl_test_mine',
      })
      // The next operation has the key already, and a body to start from.
      await page.getByText('Registers an endpoint').click()
      await page.getByRole('button', { name: 'Send POST request' }).click()
      await expect
        .poll(() => sent()?.asked.body)
        .toEqual({
          method: 'POST',
          path: '/api/v1/webhook-endpoints',
          key: 'wl_test_mine',
          body: JSON.stringify({ url: 'https://example.org/hook' }, null, 2),
        })
      expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(
        'wl_test',
      )
      expect(page.url()).not.toContain('wl_test')
      expect(faults).toEqual([])
    })

    test('an owner sets the key that opens the export of the anchor’s data', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/anchor`, 'Key of the export')
      await page.getByText('No key is set').waitFor()
      await page.getByRole('button', { name: 'Set export key' }).click()
      await page.getByLabel('Public key').fill('not a key')
      await page.getByRole('button', { name: 'Save key' }).click()
      await page.getByRole('link', { name: 'Enter the public key' }).waitFor()
      const key = 'k'.repeat(43)
      await page.getByLabel('Public key').fill(key)
      await page.getByRole('button', { name: 'Save key' }).click()
      await page.getByText('No key is set').waitFor({ state: 'hidden' })
      const sent = console.platform.requests.findLast(({ line }) => line.endsWith('/export-key'))
      expect(sent?.asked.body).toEqual({ publicKey: key })
    })

    test('the operator chooses emails, adds a webhook, copies its secret once, and removes one', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/notifications`, 'Emails')
      await page.getByLabel('XLM low').check()
      await page.getByLabel('Payout failed').uncheck()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Saved', { exact: true }).waitFor()
      expect(state.emails.toSorted()).toEqual(['treasury-low', 'xlm-low'])
      await page.getByRole('button', { name: 'Add webhook' }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('URL').fill('https://new.harbour.example/hook')
      await form.getByRole('button', { name: 'Add webhook' }).click()
      await page.getByText('whsec_c2VjcmV0').waitFor()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Add webhook' }).click()
      await form.getByLabel('What is sent').selectOption('Messages for Slack, Mattermost or Discord')
      await form.getByLabel('URL').fill('https://hooks.slack.example/services/T0')
      await form.getByRole('button', { name: 'Add webhook' }).click()
      await page.getByText('https://hooks.slack.example/services/T0').waitFor()
      expect(await page.getByText('Copy the secret now').count()).toBe(0)
      expect(state.webhooks.at(-1)?.format).toBe('slack')
      await page.getByRole('button', { name: 'Remove https://hooks.slack.example/services/T0' }).click()
      await page.getByRole('button', { name: 'Remove https://ops.harbour.example/windlass' }).click()
      await page.getByText('the endpoint answered 500').waitFor({ state: 'hidden' })
      expect(state.webhooks.map(({ url }) => url)).toEqual(['https://new.harbour.example/hook'])
    })

    test('an anchor that fails a wallet compatibility check shows which and what it means, until a new check passes', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/anchor`, 'Wallet compatibility')
      await page.getByText('1 of 2 checks passed').waitFor()
      const failed = page.getByRole('list', { name: 'Failed checks' })
      await failed.getByText('Wallets that run in a browser do not find the anchor.').waitFor()
      await failed.getByText('Access-Control-Allow-Origin is missing').waitFor()
      await page.getByRole('button', { name: 'Check now' }).click()
      await page.getByText('All 2 checks passed').waitFor()
      await page.getByRole('button', { name: 'Check now' }).waitFor()
      expect(await failed.count()).toBe(0)
    })

    test('a test deposit runs with one click, and each request can be read', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}`, 'Business')
      await page.getByRole('button', { name: 'Run test deposit' }).click()
      await page.getByRole('link', { name: 'See each request' }).click()
      await page.getByText('Completed', { exact: true }).waitFor()
      await page.getByText('GET /.well-known/stellar.toml').click()
      await page.getByText('VERSION = "2.7.0"').waitFor()
      expect(await page.getByRole('link', { name: 'See transaction' }).getAttribute('href')).toContain(
        'open=tx_1',
      )
    })

    test('Overview stays within 170 kB of script', async () => {
      const { page, context } = await visit(console.browser, 'operator')
      const bytes = await shippedScripts(page, console.folder, shown =>
        open(shown, `/workspaces/${ANCHOR}`, 'Business'),
      )
      expect(bytes).toBeGreaterThan(50_000)
      expect(bytes).toBeLessThanOrEqual(170_000)
      await context.close()
    })

    test.each([
      ['', 'Business'],
      ['transactions', 'Transactions'],
      ['customers', 'Customers'],
      ['treasury', 'Treasury'],
      ['compliance', 'To review'],
    ])('on a slow line the page %s paints within 1.2 s, and moves nothing then', async (path, heading) => {
      const slowly = async () => {
        const { page, context } = await visit(console.browser, 'operator')
        const seen = await visitSlowly(page, shown => open(shown, `/workspaces/${ANCHOR}/${path}`, heading))
        await context.close()
        return seen
      }
      const { shift, firstPaint, moved } = await slowly()
      expect(shift, moved.join('\n')).toBeLessThanOrEqual(0.1)
      // Again where the machine was busy.
      for (let best = firstPaint, visits = 1; best > 1_200; visits++) {
        expect(visits, `${best} ms`).toBeLessThan(5)
        best = Math.min(best, (await slowly()).firstPaint)
      }
    })

    test('developers see what their keys asked, and what of it failed', async () => {
      const { page, faults } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/developers`, 'Requests')
      const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr')
      await expect.poll(() => rows.count()).toBe(2)
      await page.getByRole('navigation', { name: 'Filter' }).getByRole('link', { name: 'Failed' }).click()
      await expect
        .poll(() => rows.allInnerTexts())
        .toEqual([expect.stringMatching(/GET \/api\/v1\/transactions\/:id.*404/s)])
      expect(faults).toEqual([])
    })

    test('a webhook endpoint is added for chosen events, tested and removed, and a message is replayed', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/webhooks`, 'Webhook endpoints')
      await page.getByRole('button', { name: 'Add endpoint' }).click()
      const form = page.getByRole('dialog')
      await form.getByLabel('URL').fill('ftp://new.harbour.example')
      await form.getByRole('button', { name: 'Add endpoint' }).click()
      await form.getByText('Enter an address such as').first().waitFor()
      await form.getByLabel('URL').fill('https://new.harbour.example/hook')
      await form.getByLabel('Transaction started').uncheck()
      await form.getByRole('button', { name: 'Add endpoint' }).click()
      await page.getByText('whsec_ZW5kcG9pbnQ=').waitFor()
      expect(state.endpoints[0]?.events).not.toContain('transaction.new')
      expect(state.endpoints[0]?.events).toContain('transaction.completed')
      await page.getByRole('button', { name: 'Send test to https://new.harbour.example/hook' }).click()
      await page.getByText('webhook.test').waitFor()
      await page.getByLabel('Status').selectOption('Undelivered')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByText('webhook.test').waitFor({ state: 'hidden' })
      await page.getByRole('button', { name: 'Replay msg_del_2_3f9a1c' }).click()
      await page.getByText('No deliveries').waitFor()
      expect(state.deliveries.find(({ id }) => id === 'del_2')?.status).toBe('waiting')
      await page.getByRole('button', { name: 'Remove https://ops.harbour.example/anchor' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove endpoint' }).click()
      await page.getByText('https://ops.harbour.example/anchor').first().waitFor({ state: 'hidden' })
      expect(state.endpoints.map(({ id }) => id)).toEqual(['end_2'])
    })

    test('a new key is displayed once, with a command for the anchor’s domain, and is gone after a reload', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
      await page.getByRole('button', { name: 'Create API key' }).click()
      await page.getByLabel('Name', { exact: true }).fill('deploys')
      await page.getByLabel('Webhooks').check()
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click()
      await page.getByText('wl_test_QwErTy123456', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Copy the command' }).click()
      await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        `curl -H 'Authorization: Bearer wl_test_QwErTy123456' http://${DOMAIN}/api/v1/workspace`,
      )
      expect(
        console.platform.requests.find(r => r.line.startsWith('POST') && r.line.endsWith('/api-keys'))!.asked
          .body,
      ).toEqual({
        name: 'deploys',
        scopes: ['read', 'webhooks'],
      })
      await page.reload()
      await page.getByText('deploys').waitFor()
      expect(await page.getByText('wl_test_QwErTy123456').count()).toBe(0)
    })

    test('a key is revoked only once its name is typed', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
      await page.getByRole('button', { name: 'Revoke nightly export' }).click()
      await page.getByRole('button', { name: 'Revoke key' }).click()
      await page.getByRole('link', { name: 'The name does not match' }).waitFor()
      await page.getByLabel('Type nightly export to confirm').fill('nightly export')
      await page.getByRole('button', { name: 'Revoke key' }).click()
      await expect.poll(() => page.getByText('Revoked').count()).toBe(2)
    })

    test('rolling a key displays its replacement', async () => {
      const { page } = await openPage(console.browser, 'operator')
      await open(page, `/workspaces/${ANCHOR}/keys`, 'API keys')
      await page.getByRole('button', { name: 'Roll nightly export' }).click()
      await page.getByLabel('Old key expires').selectOption('3600')
      await page.getByRole('button', { name: 'Create replacement key' }).click()
      await page.getByText('wl_test_Successor42', { exact: true }).waitFor()
      expect(console.platform.requests.find(r => r.line.endsWith('/roll'))!.asked.body).toEqual({
        overlapSeconds: 3600,
      })
    })
  },
)
