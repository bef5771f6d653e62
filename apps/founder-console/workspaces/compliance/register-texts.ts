import type { RegisterCategory, RegisterName } from '@windlass/contracts/anchor/registers.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  registers: {
    complaints: {
      title: text('Complaints', 'Reclamaciones'),
      lead: text(
        'What customers complained about, and what was done. Entries stay; steps are added.',
        'De qué se quejaron los clientes y qué se hizo. Las entradas quedan; se añaden pasos.',
      ),
      add: text('Enter complaint', 'Anotar reclamación'),
      empty: {
        title: text('No complaints', 'Sin reclamaciones'),
        detail: text('Enter the first one when it comes.', 'Anote la primera cuando llegue.'),
      },
      statuses: { open: text('Open', 'Abierta'), closed: text('Closed', 'Cerrada') },
    },
    incidents: {
      title: text('Incidents', 'Incidentes'),
      lead: text(
        'What failed, whom it touched and why, for the report to your regulator. Entries stay; steps are added.',
        'Qué falló, a quién afectó y por qué, para el informe a su supervisor. Las entradas quedan; se añaden pasos.',
      ),
      add: text('Enter incident', 'Anotar incidente'),
      empty: {
        title: text('No incidents', 'Sin incidentes'),
        detail: text('Enter the first one when it happens.', 'Anote el primero cuando ocurra.'),
      },
      statuses: { open: text('Open', 'Abierto'), closed: text('Closed', 'Cerrado') },
    },
  } satisfies Record<RegisterName, object>,
  categories: {
    delay: text('Delay', 'Retraso'),
    fee: text('Fee', 'Comisión'),
    amount: text('Amount', 'Importe'),
    identity: text('Identity check', 'Verificación de identidad'),
    service: text('Service', 'Servicio'),
    outage: text('Outage', 'Interrupción'),
    security: text('Security', 'Seguridad'),
    data: text('Data', 'Datos'),
    'third-party': text('Third party', 'Tercero'),
    process: text('Process', 'Proceso'),
    other: text('Other', 'Otro'),
  } satisfies Record<RegisterCategory, string>,
  columns: {
    number: text('No.', 'N.º'),
    title: text('What', 'Qué'),
    category: text('Kind', 'Tipo'),
    happened: text('When', 'Cuándo'),
    customers: text('Customers', 'Clientes'),
    amount: text('Amount', 'Importe'),
    status: text('Status', 'Estado'),
    currency: text('Currency', 'Moneda'),
    closed: text('Closed', 'Cerrada el'),
  },
  subject: text('About', 'Sobre'),
  cause: text('Cause', 'Causa'),
  steps: text('What was done', 'Qué se hizo'),
  form: {
    category: text('Kind', 'Tipo'),
    title: text('What, in one line', 'Qué, en una línea'),
    text: text('What happened', 'Qué pasó'),
    step: text('What was done or found', 'Qué se hizo o se encontró'),
    day: text('Day', 'Día'),
    subject: text('Customer ID', 'ID del cliente'),
    customers: text('Customers touched', 'Clientes afectados'),
    amount: text('Money touched', 'Dinero afectado'),
    currency: text('Currency', 'Moneda'),
    cause: text('Cause', 'Causa'),
    closes: text('Close this entry', 'Cerrar esta entrada'),
    yes: text('Yes', 'Sí'),
    missing: text('Fill this in.', 'Complete este campo.'),
    invalidDay: text('Choose a day.', 'Elija un día.'),
    invalidNumber: text('Enter a whole number.', 'Escriba un número entero.'),
    invalidCurrency: text(
      'Enter an amount and its currency, such as EUR, or neither.',
      'Escriba un importe y su moneda, como EUR, o ninguno de los dos.',
    ),
    send: text('Save', 'Guardar'),
    failed: text('It was not saved', 'No se guardó'),
  },
})
