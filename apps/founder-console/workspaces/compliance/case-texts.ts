import type { CaseFile, caseOutcomes, caseReportFormats } from '@windlass/contracts/anchor/cases.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

type Outcome = (typeof caseOutcomes)[number]

export const texts = catalogue({
  title: text('Cases', 'Casos'),
  lead: text(
    'What is looked into. Only owners, admins, compliance and auditors see that a case exists: tell nobody else, least of all the customer.',
    'Lo que se investiga. Solo propietarios, administradores, cumplimiento y auditores ven que existe un caso: no lo cuente a nadie más, y menos al cliente.',
  ),
  empty: {
    title: text('No cases', 'Sin casos'),
    detail: text('A hit opens a case of its own.', 'Cada coincidencia abre un caso.'),
  },
  columns: {
    about: text('About', 'Sobre'),
    hits: text('Hits', 'Coincidencias'),
    assigned: text('Assigned to', 'Asignado a'),
    due: text('Due', 'Plazo'),
    status: text('Status', 'Estado'),
  },
  statuses: { open: text('Open', 'Abierto'), closed: text('Closed', 'Cerrado') },
  overdue: text('Overdue', 'Vencido'),
  nobody: text('Nobody', 'Nadie'),
  screening: text('Screening', 'Comparación'),
  subjects: {
    customer: text('Customer', 'Cliente'),
    transaction: text('Transaction', 'Transacción'),
    payout: text('Payout', 'Pago'),
  },
  outcomes: {
    'no-suspicion': text('No suspicion', 'Sin sospecha'),
    reported: text('Reported to the authority', 'Comunicado a la autoridad'),
    'relationship-ended': text('Relationship ended', 'Relación terminada'),
  } satisfies Record<Outcome, string>,
  panel: text('Case', 'Caso'),
  opening: {
    action: text('Open case', 'Abrir caso'),
    kind: text('About', 'Sobre'),
    id: {
      label: text('ID', 'ID'),
      hint: text(
        'Of the customer or the transaction, as their pages show it.',
        'Del cliente o de la transacción, como la muestran sus páginas.',
      ),
    },
    reason: {
      label: text('Why', 'Por qué'),
      hint: text('Only those who see cases read it.', 'Solo lo leen quienes ven los casos.'),
    },
    missing: text('Fill this in.', 'Complete este campo.'),
    failed: text('The case was not opened', 'El caso no se abrió'),
  },
  linked: text('Share an account, a wallet or an address', 'Comparten cuenta, billetera o domicilio'),
  report: {
    formats: {
      'fincen-sar': text('Draft for FinCEN', 'Borrador para FinCEN'),
      goaml: text('Draft for goAML', 'Borrador para goAML'),
    } satisfies Record<(typeof caseReportFormats)[number], string>,
    failed: text('The draft was not made', 'El borrador no se hizo'),
  },
  steps: text('What was done', 'Qué se hizo'),
  done: {
    opened: text('Opened', 'Abierto'),
    noted: text('Note', 'Nota'),
    planned: text('Assigned', 'Asignado'),
    closed: text('Closed', 'Cerrado'),
  } satisfies Record<CaseFile['steps'][number]['kind'], string>,
  note: {
    label: text('Note', 'Nota'),
    hint: text('Encrypted, and part of the case.', 'Cifrada, y parte del caso.'),
    missing: text('Write a note', 'Escriba una nota'),
    send: text('Add note', 'Añadir nota'),
    failed: text('The note was not added', 'La nota no se añadió'),
  },
  plan: {
    assigned: text('Assigned to', 'Asignado a'),
    due: text('Decide by', 'Decidir antes de'),
    missing: text('Enter the day', 'Indique el día'),
    send: text('Save', 'Guardar'),
    failed: text('The case was not assigned', 'El caso no se asignó'),
  },
  close: {
    outcome: text('Outcome', 'Resultado'),
    missing: text('Choose an outcome', 'Elija un resultado'),
    reason: text('Reason', 'Motivo'),
    reasonMissing: text('Give a reason', 'Indique un motivo'),
    send: text('Close case', 'Cerrar caso'),
    failed: text('The case was not closed', 'El caso no se cerró'),
  },
  export: text('Export case', 'Exportar caso'),
})
