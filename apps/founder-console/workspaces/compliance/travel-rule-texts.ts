import { catalogue } from '@windlass/ui/catalogue.ts'

export const texts = catalogue('travelRule', {
  title: 'Travel rule',
  lead: 'From an amount on, who sends and who receives is kept with a transfer before its money moves (FATF recommendation 16). What is missing is asked for.',
  change: 'Change',
  off: 'No data is asked for.',
  from: (amount: string) => `Data is kept with transfers of ${amount} or more.`,
  lei: (lei: string) => `LEI: ${lei}`,
  changed: (when: string) => `Last changed ${when}.`,
  form: {
    title: 'Change travel rule',
    threshold: {
      label: 'Amount',
      hint: 'Often 1,000 US dollars or euros. Empty: no data is asked for.',
    },
    lei: {
      label: 'LEI',
      hint: 'Your legal entity identifier, which names your anchor in the data.',
      invalid: 'Enter an LEI of 20 letters and digits, or nothing.',
    },
    send: 'Save',
    failed: 'The travel rule was not changed',
  },
  export: 'Export sender and receiver',
  exportFailed: 'Sender and receiver were not exported',
})
