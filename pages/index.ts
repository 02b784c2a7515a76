import { commits } from '#pages/commits.ts';
import type { Row } from '#pages/engine/row.ts';
import { issues } from '#pages/issues.ts';
import { mergeRequestChanges } from '#pages/merge_request_changes.ts';
import { refs } from '#pages/refs.ts';

/** All pages and forms over GraphQL. Of several rows that match a path, the first one that finds something is shown. */
export const rows: readonly Row[] = [...issues, ...commits, ...refs, ...mergeRequestChanges];
