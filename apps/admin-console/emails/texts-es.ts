import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const emails: Translation<typeof english.emails> = {
  title: 'Correos',
  lead: 'Todos los correos que envía la plataforma, escritos con datos de ejemplo.',
  columns: { subject: 'Asunto', recipients: 'Destinatarios', name: 'Nombre' },
  recipients: {
    applicant: 'Solicitantes',
    operator: 'Operadores',
    administrator: 'Administradores',
    customer: 'Clientes',
  },
  sample: {
    title: 'Datos de ejemplo',
    detail: 'Los nombres, códigos y enlaces de este correo son inventados.',
  },
  language: 'Idioma',
  form: 'Formato',
  forms: { html: 'HTML', text: 'Texto sin formato' },
  frame: subject => `Correo: ${subject}`,
}
