import { catalogue } from '@windlass/ui/catalogue.ts'

export const texts = catalogue('agreements', {
  title: 'Sending anchors',
  lead: 'Anchors that may send direct payments (SEP-31) to your customers. You rely on their identity checks. On test networks every account may send.',
  add: 'Add agreement',
  empty: {
    title: 'No agreements yet',
    detail: 'On the public network nobody sends direct payments until you add an agreement.',
  },
  columns: { name: 'Name', account: 'Account', tier: 'Tier of senders', at: 'Since', actions: 'Actions' },
  accountOf: (name: string) => `account of ${name}`,
  form: {
    title: 'Add agreement',
    name: { label: 'Name', hint: 'The other anchor, as you know it.', missing: 'Enter the name.' },
    account: {
      label: 'Account',
      hint: 'The account (G…) that it logs in with (SEP-10).',
      invalid: 'Enter an account of 56 characters that begins with G.',
    },
    tier: {
      label: 'Tier of its senders',
      hint: 'Each sender has the limits of this tier for themselves. Choose Enhanced where the agreement says that the other anchor checks its customers that far.',
    },
    send: 'Add agreement',
    failed: 'The agreement was not saved',
  },
  change: { title: 'Change agreement', action: 'Change', send: 'Save' },
  changeWhat: (name: string) => `Change the agreement with ${name}`,
  end: 'End',
  endWhat: (name: string) => `End the agreement with ${name}`,
  ending: {
    title: (name: string) => `End the agreement with ${name}?`,
    lead: 'New payments of this anchor are refused. Payments under way continue.',
    send: 'End agreement',
    failed: 'The agreement was not ended',
  },
})
