import type { ShownIn } from '#pages/engine/row.ts';
import type { rows } from '#pages/index.ts';
import type { UNTYPED } from './untyped_views.ts';

/** What `engine/serve.ts` gives every page of a row. */
interface OfRow {
  url: URL;
  // biome-ignore lint/suspicious/noExplicitAny: what readers sent is text or lists of it, and is shown as it is
  given: Readonly<Record<string, any>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  values: Readonly<Record<string, any>>;
  problems: Readonly<Record<string, string>>;
  /** Whether nobody is signed in. */
  isVisitor: boolean;
  sshBase: string | null;
  isSplit: boolean;
}

/** The values of a template that does not declare them: those that its row shows in it. Nothing is known of those that are not typed yet. */
export type ValuesOf<View extends string> = View extends (typeof UNTYPED)[number]
  ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of these
    any
  : OfRow & ShownIn<typeof rows, View>;
