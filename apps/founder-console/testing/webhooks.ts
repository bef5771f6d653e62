import * as notifications from '@windlass/contracts/platform/notifications.ts'
import {
  createWorkspaceWebhook,
  deleteWorkspaceWebhook,
  listWorkspaceDeliveries,
  listWorkspaceWebhooks,
  replayWorkspaceDelivery,
  testWorkspaceWebhook,
} from '@windlass/contracts/platform/workspace-records.ts'
import { type FakePlatform, Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { ANCHOR, deliveryOf, type Inside, type OperatorsState } from './operators-state.ts'

export function answerWebhooks(platform: FakePlatform, state: OperatorsState, inside: Inside): void {
  platform.answer(listWorkspaceWebhooks, () => inside(state.endpoints))
  platform.answer(createWorkspaceWebhook, ({ body }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    const { url, events = ['*'] } = body as { url: string; events?: string[] }
    const added = { id: 'end_2', url, events, active: true, createdAt: '2026-11-20T11:00:00.000Z' }
    state.endpoints = [added, ...state.endpoints]
    return inside({ ...added, secret: 'whsec_ZW5kcG9pbnQ=' })
  })
  platform.answer(deleteWorkspaceWebhook, ({ params }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.endpoints = state.endpoints.filter(({ id }) => id !== params.id)
    return inside({ ok: true })
  })
  platform.answer(testWorkspaceWebhook, ({ params: { id = '' } }) => {
    const made = deliveryOf('del_3', { endpointId: id, event: 'webhook.test' })
    state.deliveries = [made, ...state.deliveries]
    return inside(made)
  })
  platform.answer(listWorkspaceDeliveries, ({ query }) => {
    const status = query.get('status')
    return inside(state.deliveries.filter(each => status === null || each.status === status))
  })
  platform.answer(replayWorkspaceDelivery, ({ params }) => {
    state.deliveries = state.deliveries.map(each =>
      each.id === params.id ? { ...each, status: 'waiting', attempts: 0 } : each,
    )
    return inside(state.deliveries.find(({ id }) => id === params.id) ?? deliveryOf('none'))
  })
}

export function answerNotifications(platform: FakePlatform, state: OperatorsState, inside: Inside): void {
  const at = '2026-11-20T10:00:00.000Z'
  platform.answer(notifications.listNotifications, () =>
    inside([
      {
        id: 'ntf_2',
        kind: 'treasury-low' as const,
        subject: 'treasury',
        detail: 'The distribution account holds 5 HARB.',
        startedAt: at,
        endedAt: null,
      },
      {
        id: 'ntf_1',
        kind: 'anchor-active' as const,
        subject: ANCHOR,
        detail: 'harbour is active.',
        startedAt: at,
        endedAt: at,
      },
    ]),
  )
  platform.answer(notifications.getNotificationPreferences, () => inside({ email: state.emails }))
  platform.answer(notifications.setNotificationPreferences, ({ body }) => {
    state.emails = (body as notifications.NotificationPreferences).email
    return inside({ email: state.emails })
  })
  platform.answer(notifications.listNotificationWebhooks, () => inside(state.webhooks))
  platform.answer(notifications.createNotificationWebhook, ({ body }) => {
    const { url, kinds, format } = body as notifications.NotificationWebhook
    const added = {
      id: `hook_${state.webhooks.length + 1}`,
      url,
      format,
      kinds,
      createdAt: at,
      lastSentAt: null,
      lastError: null,
    }
    state.webhooks = [...state.webhooks, added]
    return inside({ ...added, secret: format === 'slack' ? '' : 'whsec_c2VjcmV0' })
  })
  platform.answer(notifications.deleteNotificationWebhook, ({ params }) => {
    if (!state.confirmed) return new Refusal('confirmation-needed', 'Confirm who you are.')
    state.webhooks = state.webhooks.filter(({ id }) => id !== params.id)
    return inside({ ok: true })
  })
  platform.answer(notifications.testNotificationWebhook, () => inside({ ok: true }))
}
