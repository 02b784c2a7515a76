import type { OfRow, ShownIn } from '#pages/engine/row.ts';
import type { rows } from '#pages/index.ts';

/** The values of a template that does not declare them: those that its row shows in it. */
export type ValuesOf<View extends string> = OfRow & ShownIn<typeof rows, View>;
