import { writeFileSync } from 'node:fs';
import helper, { type DMMF } from '@prisma/generator-helper';

/*
 * A generator of Prisma's: writes what prisma/schema says of tables, columns, keys and relations as TypeScript, both as types
 * and as facts, with the names that the database has. Prisma's own client and that of Pothos leave out one or the other.
 */
helper.generatorHandler({
  onManifest: () => ({ prettyName: 'Models', defaultOutput: '../../src/generated/models.ts' }),
  onGenerate: async ({ dmmf, generator }) => {
    const path = generator.output?.value;
    if (!path) throw new Error('The generator of the models has no output');
    writeFileSync(path, source(dmmf.datamodel));
  },
});

type Field = DMMF.Field;

function source({ models, enums }: DMMF.Datamodel): string {
  const names = models.map(({ name }) => `'${name}'`).join(' | ');
  return `/* Made by scripts/generate_models.ts from prisma/schema. */
import type { EnumFacts, ModelFacts } from '../platform/records/model.ts';

export type ModelName = ${names};

/** The columns of each model by their names in Prisma, with the types that they have in JSON from PostgreSQL. */
export interface Columns {
${models
  .map(
    (model) =>
      `  ${model.name}: {\n${columnsOf(model)
        .map((field) => `    ${field.name}: ${wireType(field, enums)};\n`)
        .join('')}  };\n`,
  )
  .join('')}}

/** The relations of each model: to which model, whether to many, and whether one may be missing. */
export interface Relations {
${models
  .map(
    (model) =>
      `  ${model.name}: {\n${relationsOf(model)
        .map(
          (field) =>
            `    ${field.name}: { model: '${field.type}'; many: ${field.isList}; optional: ${isOptional(field)} };\n`,
        )
        .join('')}  };\n`,
  )
  .join('')}}

export const enums: Readonly<Record<string, EnumFacts>> = ${printed(Object.fromEntries(enums.map(enumFacts)))};

export const models: { readonly [M in ModelName]: ModelFacts } = ${printed(
    Object.fromEntries(models.map((model) => [model.name, modelFacts(model, models)])),
  )};
`;
}

const columnsOf = (model: DMMF.Model) => model.fields.filter(({ kind }) => kind === 'scalar' || kind === 'enum');
const relationsOf = (model: DMMF.Model) => model.fields.filter(({ kind }) => kind === 'object');

/** The other end of a relation may be missing: where the key is null, or is the other row's. */
function isOptional({ isList, isRequired, relationFromFields }: Field): boolean {
  return !isList && (!isRequired || relationFromFields?.length === 0);
}

const WIRE: Record<string, string> = {
  Int: 'number',
  Float: 'number',
  String: 'string',
  Boolean: 'boolean',
  // What JavaScript's numbers cannot hold comes as text, as do times, and bytes in Base64.
  BigInt: 'string',
  Decimal: 'string',
  DateTime: 'string',
  Bytes: 'string',
  Json: 'unknown',
};

function wireType({ type, isList, isRequired }: Field, enums: readonly DMMF.DatamodelEnum[]): string {
  const values = enums.find(({ name }) => name === type)?.values.map(({ name }) => `'${name}'`);
  const one = values?.join(' | ') ?? WIRE[type];
  if (one === undefined) throw new Error(`Columns of type ${type} are not known`);
  if (isList) return `(${one})[]`;
  return isRequired ? one : `${one} | null`;
}

function enumFacts({ name, dbName, values }: DMMF.DatamodelEnum): [string, object] {
  const renamed = values.filter((value) => value.dbName && value.dbName !== value.name);
  return [
    name,
    { type: dbName ?? name, renamed: Object.fromEntries(renamed.map((v) => [v.dbName ?? v.name, v.name])) },
  ];
}

function modelFacts(model: DMMF.Model, models: readonly DMMF.Model[]): object {
  const ids = model.fields.filter(({ isId }) => isId).map(({ name }) => name);
  return {
    table: model.dbName ?? model.name,
    key: model.primaryKey?.fields ?? ids,
    columns: Object.fromEntries(columnsOf(model).map((field) => [field.name, columnFacts(field)])),
    relations: Object.fromEntries(relationsOf(model).map((field) => [field.name, relationFacts(model, field, models)])),
  };
}

function columnFacts({ name, dbName, type, kind, isList, nativeType }: Field): object {
  const isDate = nativeType?.[0] === 'Date';
  return {
    name: dbName ?? name,
    type: isDate ? 'Date' : type,
    ...(kind === 'enum' && { isEnum: true }),
    ...(isList && { isList: true }),
  };
}

/** Of the two ends of a relation one names the columns of both. */
function relationFacts(model: DMMF.Model, field: Field, models: readonly DMMF.Model[]): object {
  const target = models.find(({ name }) => name === field.type);
  const back = target?.fields.find((other) => other.relationName === field.relationName && other !== field);
  const own = field.relationFromFields ?? [];
  const isOwner = own.length > 0;
  const [from, to] = isOwner ? [own, field.relationToFields] : [back?.relationToFields, back?.relationFromFields];
  if (!from?.length || !to?.length) throw new Error(`${model.name}.${field.name} names no columns on either side`);
  return { model: field.type, isMany: field.isList, isOptional: isOptional(field), from, to };
}

/** As a text that is parsed: V8 keeps literals of objects a second time, to make more of them. */
function printed(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}
