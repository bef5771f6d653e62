import { catalogue } from '@windlass/ui/catalogue.ts'

export const emails = catalogue('emails', {
  title: 'Emails',
  lead: 'Every email that the platform sends, written with sample data.',
  columns: { subject: 'Subject', recipients: 'Recipients', name: 'Name' },
  recipients: {
    applicant: 'Applicants',
    operator: 'Operators',
    administrator: 'Administrators',
    customer: 'Customers',
  },
  sample: {
    title: 'Sample data',
    detail: 'Names, codes and links in this email are invented.',
  },
  language: 'Language',
  form: 'Form',
  forms: { html: 'HTML', text: 'Plain text' },
  frame: (subject: string) => `Email: ${subject}`,
})
