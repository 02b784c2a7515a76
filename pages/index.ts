import type { Row } from '#pages/engine/row.ts';
import { issues } from '#pages/issues.ts';
import { labels } from '#pages/labels.ts';
import { notes } from '#pages/notes.ts';

/** All pages and forms over GraphQL. Of several rows that match a path, the first one that finds something is shown. */
export const rows: readonly Row[] = [...issues, ...labels, ...notes];
