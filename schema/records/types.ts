import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type PrismaTypes from '#src/generated/pothos.ts';
import type { Row } from '#src/platform/records/computed_fields.ts';
import type { ModelName, Relations } from '#src/platform/records/model.ts';

/** What can be selected of a model, as Prisma's `select` has it. */
type Select<M extends ModelName> = { readonly [Name in keyof Row<M>]?: true } & {
  readonly [Name in keyof Relations[M]]?: Relations[M][Name] extends { model: infer Target extends ModelName }
    ? { readonly select: Select<Target> }
    : never;
};

/** The types of Pothos, over rows as they come from the database as JSON, with the computed fields of models. */
export type RecordTypes = {
  [M in keyof PrismaTypes & ModelName]: Omit<PrismaTypes[M], 'Shape' | 'Select'> & { Shape: Row<M>; Select: Select<M> };
};

/**
 * A record on its way to its fields, which alone know what else was selected of it. Of projects and groups more is at hand
 * always.
 */
export type Known<M extends ModelName> = M extends 'Project'
  ? ProjectRow
  : M extends 'Namespace'
    ? GroupRow
    : Pick<Row<M>, 'id' & keyof Row<M>>;
