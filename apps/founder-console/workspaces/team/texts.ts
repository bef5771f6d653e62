import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const team = catalogue({
  title: text('Team', 'Equipo'),
  lead: text(
    (organization: string) => `Members of ${organization}. A role applies to all of its anchors.`,
    organization => `Miembros de ${organization}. Un rol vale para todos sus anchors.`,
  ),
  columns: {
    name: text('Name', 'Nombre'),
    email: text('Email', 'Correo electrónico'),
    role: text('Role', 'Rol'),
    since: text('Since', 'Desde'),
    actions: text('Actions', 'Acciones'),
  },
  you: text(
    (name: string) => `${name} (you)`,
    name => `${name} (usted)`,
  ),
  add: text('Add member', 'Añadir miembro'),
  email: {
    label: text('Email', 'Correo electrónico'),
    hint: text(
      'They are notified by email and sign in with a code.',
      'Recibe un aviso por correo e inicia sesión con un código.',
    ),
    missing: text('Enter an email address', 'Escriba un correo electrónico'),
    known: text('This person is already a member', 'Esta persona ya es miembro'),
  },
  name: text('Full name', 'Nombre completo'),
  role: {
    label: text('Role', 'Rol'),
    hints: {
      member: text(
        'Can view everything but hits and cases of compliance, and names and accounts of those who pay or are paid.',
        'Puede verlo todo menos las coincidencias y los casos de cumplimiento, y los nombres y cuentas de quienes pagan o cobran.',
      ),
      compliance: text(
        'Also sees and decides hits and cases, loads lists and sets rules.',
        'Además ve y decide coincidencias y casos, carga listas y fija reglas.',
      ),
      finance: text(
        'Also works with statements, payout files, reconciliation, closes and refunds.',
        'Además trabaja con extractos, archivos de pago, conciliación, cierres y reembolsos.',
      ),
      support: text(
        'Also tests webhooks, sends messages again and runs test deposits.',
        'Además prueba webhooks, reenvía mensajes y hace depósitos de prueba.',
      ),
      auditor: text(
        'Can view everything and change nothing. What they view is in Activity.',
        'Puede verlo todo y no cambia nada. Lo que ve queda en Actividad.',
      ),
      admin: text(
        'Can also manage API keys and add members.',
        'Además puede gestionar claves de API y añadir miembros.',
      ),
      owner: text(
        'Can also add owners. There is always at least one.',
        'Además puede añadir propietarios. Siempre hay al menos uno.',
      ),
    },
  },
  change: text('Change role', 'Cambiar el rol'),
  changeWhat: text(
    (name: string) => `Change role of ${name}`,
    name => `Cambiar el rol de ${name}`,
  ),
  changeTitle: text(
    (name: string) => `Change role of ${name}`,
    name => `Cambiar el rol de ${name}`,
  ),
  remove: text('Remove', 'Quitar'),
  removeWhat: text(
    (name: string) => `Remove ${name}`,
    name => `Quitar a ${name}`,
  ),
  removeTitle: text(
    (name: string) => `Remove ${name}`,
    name => `Quitar a ${name}`,
  ),
  removeLead: text(
    'They lose access to this organization. API keys they created keep working.',
    'Pierde el acceso a esta organización. Las claves de API que creó siguen sirviendo.',
  ),
  leave: text('Leave', 'Salir'),
  leaveTitle: text('Leave the organization', 'Salir de la organización'),
  leaveLead: text(
    'You lose access to this organization until someone adds you again.',
    'Pierde el acceso a esta organización hasta que alguien le añada otra vez.',
  ),
  review: text('Export access review', 'Exportar revisión de accesos'),
  reviewFailed: text('The review was not exported', 'La revisión no se exportó'),
  failed: text('The team was not changed', 'El equipo no se cambió'),
})
