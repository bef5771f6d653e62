import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const team: Translation<typeof english.team> = {
  title: 'Equipo',
  lead: organization => `Miembros de ${organization}. Un rol vale para todos sus anchors.`,
  columns: {
    name: 'Nombre',
    email: 'Correo electrónico',
    role: 'Rol',
    since: 'Desde',
    actions: 'Acciones',
  },
  you: name => `${name} (usted)`,
  add: 'Añadir miembro',
  email: {
    label: 'Correo electrónico',
    hint: 'Recibe un aviso por correo e inicia sesión con un código.',
    missing: 'Escriba un correo electrónico',
    known: 'Esta persona ya es miembro',
  },
  name: 'Nombre completo',
  role: {
    label: 'Rol',
    hints: {
      member: 'Puede verlo todo.',
      admin: 'Además puede gestionar claves de API y añadir miembros.',
      owner: 'Además puede añadir propietarios. Siempre hay al menos uno.',
    },
  },
  change: 'Cambiar el rol',
  changeWhat: name => `Cambiar el rol de ${name}`,
  changeTitle: name => `Cambiar el rol de ${name}`,
  remove: 'Quitar',
  removeWhat: name => `Quitar a ${name}`,
  removeTitle: name => `Quitar a ${name}`,
  removeLead: 'Pierde el acceso a esta organización. Las claves de API que creó siguen sirviendo.',
  leave: 'Salir',
  leaveTitle: 'Salir de la organización',
  leaveLead: 'Pierde el acceso a esta organización hasta que alguien le añada otra vez.',
  failed: 'El equipo no se cambió',
}
