import {
  acceptAdministratorInvitation,
  changeAdministrator,
  changeAdministratorPassword,
  inviteAdministrator,
  removeAdministrator,
  verifyAdministratorInvitation,
} from '@windlass/contracts/platform/administrator-accounts.ts'
import { rejectApplication } from '@windlass/contracts/platform/applications.ts'
import { openPage } from '@windlass/ui/testing/browser.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { expect, test } from 'vitest'
import { administratorInvitations, administrators, anchor, invitationOfSena, job } from './records.ts'
import type { AdminConsoleInBrowser } from './browser.ts'

/** Administrators, their sessions and what they keep. */
export function accountTests(admin: AdminConsoleInBrowser): void {
  const { console, open } = admin

  test('a chosen language is kept with the account, and the page loads in it even if that fails', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/emails', 'Emails')
    await page.getByLabel('Language', { exact: true }).selectOption('Español')
    await page.getByRole('heading', { level: 1, name: 'Correos' }).waitFor()
    const line = 'PUT /api/v1/admin/language'
    const kept = console.platform.requests.filter(request => request.line === line)
    expect(kept.map(({ asked }) => asked.body)).toEqual([{ language: 'es' }])
  })

  test('a refused message is shown with its answer, and tried again', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/messages', 'Refused messages')
    await page.getByText('rails must name at least one rail').waitFor()
    await page.getByRole('button', { name: 'Try again: sync-anchor' }).click()
    await page.getByText('It is being sent again').waitFor()
    const lines = console.platform.requests.map(({ line }) => line)
    expect(lines).toContain('POST /api/v1/admin/refused-messages/41/retry')
  })

  test('an owner invites, changes and removes administrators, and not the one whom the settings name', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    console.platform.answer(inviteAdministrator, () => administratorInvitations()[0]!)
    console.platform.answer(changeAdministrator, () => administrators()[2]!)
    console.platform.answer(removeAdministrator, () => ({ ok: true }))
    await open(page, '/administrators', 'Administrators')
    const sent = (line: string) =>
      console.platform.requests.find(request => request.line === line)?.asked.body

    await page.getByRole('button', { name: 'Invite administrator' }).click()
    await page.getByLabel('Email').fill('sena@windlass.example')
    await page.getByRole('radio', { name: 'Operator' }).check()
    await page.getByRole('button', { name: 'Invite administrator' }).last().click()
    await page.getByText('Invitation sent to sena@windlass.example').waitFor()
    expect(sent('POST /api/v1/admin/administrators/invitations')).toEqual({
      email: 'sena@windlass.example',
      role: 'operator',
    })

    await page.getByRole('button', { name: 'Change role of Jonas Lind' }).click()
    await page.getByRole('radio', { name: 'Owner' }).check()
    await page.getByRole('button', { name: 'Change role', exact: true }).click()
    await expect.poll(() => sent('PATCH /api/v1/admin/administrators/adm_2')).toEqual({ role: 'owner' })

    await page.getByRole('button', { name: 'Remove Jonas Lind' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect
      .poll(() =>
        console.platform.requests.some(({ line }) => line === 'DELETE /api/v1/admin/administrators/adm_2'),
      )
      .toBe(true)
    expect(await page.getByRole('button', { name: 'Remove bosun' }).count()).toBe(0)
  })

  test('a viewer sees everything and no action that is refused', async () => {
    admin.state.role = 'viewer'
    const { page } = await openPage(console.browser, 'administrator')
    const none = async (...names: string[]) => {
      for (const name of names)
        expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0])
    }
    await open(page, '/administrators', 'Administrators')
    await page.getByText('sena@windlass.example').waitFor()
    await none('Invite administrator', 'Change role of Jonas Lind', 'Remove Jonas Lind', 'Revoke')
    await page.goto(`${console.url}/applications?open=${admin.state.records[0]!.id}`)
    await page.getByText('Tax number').waitFor()
    await none('Approve', 'Reject')
    expect(await page.locator('input[type=checkbox]').count()).toBe(0)
    await page.goto(`${console.url}/fleet?open=${anchor(0).id}`)
    await page.getByText('97.1% of checks passed').waitFor()
    await none('Suspend', 'Remove anchor', 'Upgrade')
    await page.goto(`${console.url}/jobs?open=${job(1, 1, 'failed').jobId}`)
    await page.getByText('Three key pairs sealed.').waitFor()
    await none('Retry from stage 2')
    await open(page, '/policy', 'Routing policy')
    await page.getByRole('button', { name: 'Replay past decisions' }).waitFor()
    await none('Save and activate', 'Activate version 1')
  })

  test('an invitation is accepted with a name and a long password, and leads to the sign-in', async () => {
    admin.state.signedIn = false
    console.platform.answer(verifyAdministratorInvitation, () => invitationOfSena)
    console.platform.answer(acceptAdministratorInvitation, ({ body }) =>
      (body as { password: string }).password.startsWith('password')
        ? new Refusal('validation-failed', 'Too easy.', {
            errors: [{ path: 'password', message: 'must be harder to guess' }],
          })
        : { username: 'sena@windlass.example', role: 'viewer' as const },
    )
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/invitation#token=t0k', 'Accept your invitation')
    const send = async (password: string) => {
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Create account' }).click()
    }
    await page.getByLabel('Full name').fill('Sena Ito')
    await send('short')
    await page.getByRole('link', { name: 'Use at least 12 characters' }).waitFor()
    await send('password1234')
    await page.getByRole('link', { name: /harder to guess/ }).waitFor()
    await send('nine lanterns by the pier')
    await page.getByRole('link', { name: 'Continue to sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })

  test('a used invitation says whom to ask', async () => {
    console.platform.answer(verifyAdministratorInvitation, () => new Refusal('invitation-gone', 'Gone.'))
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/invitation#token=t0k', 'Accept your invitation')
    await page.getByText('Ask an owner of the platform for a new one.').waitFor()
  })

  test('someone with a password of their own changes it', async () => {
    admin.state.fromSettings = false
    console.platform.answer(changeAdministratorPassword, () => ({ ok: true }))
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/account', 'Account')
    await page.getByLabel('New password').fill('nine lanterns by the pier')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed').waitFor()
  })

  test('without a session every page leads to the login and back to itself', async () => {
    admin.state.signedIn = false
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/fleet?status=active', 'Sign in')
    await page.getByLabel('User name or email').fill('bosun')
    await page.getByLabel('Password').first().fill('right')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Fleet' }).waitFor()
    expect(page.url()).toBe(`${console.url}/fleet?status=active`)
  })

  test('a login never leads to another site', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/login?from=//evil.example/', 'Sign in')
    await page.getByLabel('User name or email').fill('bosun')
    await page.getByLabel('Password').first().fill('right')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(new URL(page.url()).origin).toBe(console.url)
  })

  test('a session that ends under a typed reason offers to sign in beside it, and the reason is sent after that', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    const path = `/applications?open=${admin.state.records[0]!.id}`
    await page.goto(console.url + path)
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByLabel('Reason').fill('Half a sentence')
    admin.state.signedIn = false
    console.platform.answer(rejectApplication, ({ params }) =>
      admin.state.signedIn
        ? { id: params.id!, status: 'rejected' as const }
        : new Refusal('unauthenticated', 'Sign in first.'),
    )
    await page.getByRole('button', { name: 'Reject and notify founder' }).click()
    const opens = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in in a new tab' }).first().click()
    const tab = await opens
    await tab.getByLabel('User name or email').fill('bosun')
    await tab.getByLabel('Password').first().fill('right')
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await expect.poll(() => tab.url()).toBe(console.url + path)
    await tab.close()
    expect(await page.getByLabel('Reason').inputValue()).toBe('Half a sentence')
    await page.getByRole('button', { name: 'Reject and notify founder' }).click()
    await expect
      .poll(() => console.platform.requests.findLast(({ line }) => line.endsWith('/reject'))?.asked.body)
      .toEqual({ reason: 'Half a sentence' })
  })
}
