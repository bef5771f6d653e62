import type { CaseReportFinding } from '@windlass/contracts/anchor/cases.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Reports in goAML', 'Informes en goAML'),
  lead: text(
    'What your financial intelligence unit gave you: your number, codes of its lists, and its schema. Drafts of cases follow it.',
    'Lo que le dio su unidad de inteligencia financiera: su número, códigos de sus listas y su esquema. Los borradores de casos lo siguen.',
  ),
  change: text('Change', 'Cambiar'),
  empty: {
    title: text('Nothing is set', 'No hay nada fijado'),
    detail: text(
      'Drafts have the order of goAML 4 and UNKNOWN where your unit has codes of its own.',
      'Los borradores tienen el orden de goAML 4 y UNKNOWN donde su unidad tiene códigos propios.',
    ),
  },
  fields: {
    rentityId: text('Your number at the unit (rentity_id)', 'Su número en la unidad (rentity_id)'),
    currency: text('Currency', 'Moneda'),
    submission: text('Way of submission (submission_code)', 'Vía de presentación (submission_code)'),
    withTransactions: text(
      'Code of a report with transactions (report_code)',
      'Código de un informe con transacciones (report_code)',
    ),
    withoutTransactions: text(
      'Code of a report without transactions',
      'Código de un informe sin transacciones',
    ),
    funds: text('Kind of funds (funds_code)', 'Tipo de fondos (funds_code)'),
    transmode: text('Way of payment (transmode_code)', 'Forma de pago (transmode_code)'),
    accountType: text('Kind of account (personal_account_type)', 'Tipo de cuenta (personal_account_type)'),
    accountStatus: text('Status of an account (status_code)', 'Estado de una cuenta (status_code)'),
    swift: text('Your BIC (swift)', 'Su BIC (swift)'),
    indicators: text('Indicators', 'Indicadores'),
    firstName: text('First name of who reports', 'Nombre de quien informa'),
    lastName: text('Last name of who reports', 'Apellido de quien informa'),
    unknown: text('What the schema demands and you do not know', 'Lo que el esquema exige y usted no sabe'),
    schema: text('Schema', 'Esquema'),
  },
  hints: {
    indicators: text('Codes, separated by spaces.', 'Códigos, separados por espacios.'),
    unknown: text(
      'One element a line with its value, such as: gender = -',
      'Un elemento por línea con su valor, como: gender = -',
    ),
    schema: text(
      'The XSD that your unit gives its members. Without a new file the present one stays.',
      'El XSD que su unidad da a sus miembros. Sin un archivo nuevo queda el actual.',
    ),
  },
  forget: text('Use the schema no longer', 'No usar más el esquema'),
  yes: text('Yes', 'Sí'),
  missing: text('Fill this in.', 'Complete este campo.'),
  invalidNumber: text('Enter a whole number from 1 on.', 'Escriba un número entero desde 1.'),
  invalidCurrency: text('Enter three letters, such as EUR.', 'Escriba tres letras, como EUR.'),
  invalidLine: text('Write each line as: element = value', 'Escriba cada línea como: elemento = valor'),
  tooLarge: text('The file is larger than 1 MB.', 'El archivo ocupa más de 1 MB.'),
  send: text('Save', 'Guardar'),
  failed: text('It was not saved', 'No se guardó'),
  findings: {
    title: text(
      (file: string) => `The draft by ${file}`,
      file => `El borrador según ${file}`,
    ),
    none: text('It has all that the schema demands.', 'Tiene todo lo que exige el esquema.'),
    kinds: {
      missing: text('Missing', 'Falta'),
      'not-listed': text('Not in the unit’s list', 'No está en la lista de la unidad'),
      'left-out': text('Left out', 'Omitido'),
    } satisfies Record<CaseReportFinding['kind'], string>,
  },
})
