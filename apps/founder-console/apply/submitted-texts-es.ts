import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './submitted-texts.ts'

export const submitted: Translation<typeof english.submitted> = {
  title: 'Solicitud enviada',
  lead: 'Recibimos su solicitud. Conserve su ID e inclúyalo cuando nos contacte.',
  id: 'ID de la solicitud',
  mailTo: email => `Responderemos a ${email}.`,
  warningsTitle: 'Antes de continuar',
  warnings: {
    'authorization-required': code =>
      `El emisor de ${code} autoriza cada cuenta que lo tiene. Pídale que autorice su anchor cuando esté instalado.`,
    revocable: code => `El emisor de ${code} puede congelar lo que tiene su anchor.`,
    clawback: code => `El emisor de ${code} puede recuperar lo que tiene su anchor.`,
  },
  nextTitle: 'Qué pasa ahora',
  next: [
    {
      title: 'La revisamos',
      detail: 'Un administrador comprueba su empresa, sus medios de pago y su licencia.',
    },
    {
      title: 'Recibe un correo',
      detail:
        'Si se aprueba, el correo contiene una invitación válida durante siete días que sirve una vez. Si no, explica el motivo.',
    },
    {
      title: 'Lanza el anchor',
      detail: 'Canjee la invitación, elija un subdominio y siga la instalación.',
    },
  ],
  again: 'Enviar otra solicitud',
  haveInvitation: 'Canjear una invitación',
}
