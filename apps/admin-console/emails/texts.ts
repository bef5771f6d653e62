import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const emails = catalogue({
  title: text('Emails', 'Correos'),
  lead: text(
    'Every email that the platform sends, written with sample data.',
    'Todos los correos que envía la plataforma, escritos con datos de ejemplo.',
  ),
  columns: {
    subject: text('Subject', 'Asunto'),
    recipients: text('Recipients', 'Destinatarios'),
    name: text('Name', 'Nombre'),
  },
  recipients: {
    applicant: text('Applicants', 'Solicitantes'),
    operator: text('Operators', 'Operadores'),
    administrator: text('Administrators', 'Administradores'),
    customer: text('Customers', 'Clientes'),
  },
  sample: {
    title: text('Sample data', 'Datos de ejemplo'),
    detail: text(
      'Names, codes and links in this email are invented.',
      'Los nombres, códigos y enlaces de este correo son inventados.',
    ),
  },
  language: text('Language', 'Idioma'),
  form: text('Form', 'Formato'),
  forms: { html: text('HTML', 'HTML'), text: text('Plain text', 'Texto sin formato') },
  frame: text(
    (subject: string) => `Email: ${subject}`,
    subject => `Correo: ${subject}`,
  ),
})
