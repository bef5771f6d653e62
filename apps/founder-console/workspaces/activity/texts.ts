import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { platformChanges } from '@windlass/ui/console/anchor-texts.ts'

export const events = catalogue({
  title: text('Platform events', 'Eventos de la plataforma'),
  lead: text(
    'Changes the platform made to your anchor, newest first.',
    'Cambios que la plataforma hizo en su anchor, los más nuevos primero.',
  ),
  columns: { at: text('Time', 'Hora'), kind: text('Event', 'Evento'), detail: text('Details', 'Detalles') },
  kinds: platformChanges,
})

export const activity = catalogue({
  title: text('Activity', 'Actividad'),
  lead: text(
    'Changes to this anchor and who made them, newest first.',
    'Cambios en este anchor y quién los hizo, los más nuevos primero.',
  ),
  columns: {
    at: text('Time', 'Hora'),
    action: text('Action', 'Acción'),
    details: text('Details', 'Detalles'),
  },
  actors: {
    system: text('Windlass', 'Windlass'),
    public: text('A visitor', 'Un visitante'),
    key: text(
      (name: string) => `The API key “${name}”`,
      name => `La clave de API «${name}»`,
    ),
    admin: text(
      (name: string) => `Administrator ${name}`,
      name => `El administrador ${name}`,
    ),
    member: text('A former member', 'Un antiguo miembro'),
  },
  empty: text('No activity yet', 'Ninguna actividad todavía'),
})
