import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type PrismaTypes from '#src/generated/pothos.ts';
import type { Row } from '#src/platform/records/computed_fields.ts';
import type { ModelName, Relations } from '#src/platform/records/model.ts';

/** A selection from a model, as in Prisma's `select`. */
type Select<M extends ModelName> = { readonly [Name in keyof Row<M>]?: true } & {
  readonly [Name in keyof Relations[M]]?: Relations[M][Name] extends { model: infer Target extends ModelName }
    ? { readonly select: Select<Target> }
    : never;
};

/** The Pothos types for rows as the database returns them in JSON, with the computed fields of models. */
export type RecordTypes = {
  [M in keyof PrismaTypes & ModelName]: Omit<PrismaTypes[M], 'Shape' | 'Select'> & { Shape: Row<M>; Select: Select<M> };
};

/** A record before it is narrowed to the selection, which only its fields know. Projects and groups always have more columns. */
export type Known<M extends ModelName> = M extends 'Project'
  ? ProjectRow
  : M extends 'Namespace'
    ? GroupRow
    : Pick<Row<M>, 'id' & keyof Row<M>>;
