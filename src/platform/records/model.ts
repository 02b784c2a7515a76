import { type Columns, enums, type ModelName, models, type Relations } from '#src/generated/models.ts';

export type { Columns, ModelName, Relations };

/** A column as the database has it. */
export interface ColumnFacts {
  name: string;
  /** The scalar or enum of Prisma; `Date` for a day without a time. */
  type: string;
  isEnum?: boolean;
  isList?: boolean;
}

/** The columns, by Prisma's names, on whose equality two rows belong together: `from` of the one, `to` of the other. */
export interface RelationFacts {
  model: ModelName;
  isMany: boolean;
  /** Whether the one row may be missing. */
  isOptional: boolean;
  from: readonly string[];
  to: readonly string[];
}

/** What prisma/schema says of a model. */
export interface ModelFacts {
  table: string;
  /** Columns of the primary key. */
  key: readonly string[];
  columns: Readonly<Record<string, ColumnFacts>>;
  relations: Readonly<Record<string, RelationFacts>>;
}

export interface EnumFacts {
  /** In the database. */
  type: string;
  /** Values that the database calls otherwise, with Prisma's name of each. */
  renamed: Readonly<Record<string, string>>;
}

/** The facts of a model. Throws for unknown names. */
export function factsOf(model: string): ModelFacts {
  if (!isModel(model)) throw new Error(`There is no model ${model}`);
  return models[model];
}

export function isModel(name: string): name is ModelName {
  return Object.hasOwn(models, name);
}

export function enumFacts(name: string): EnumFacts {
  const facts = enums[name];
  if (!facts) throw new Error(`There is no enum ${name}`);
  return facts;
}
