import '#compat/tables/ci.ts';
import '#compat/tables/issues.ts';
import '#compat/tables/merge_requests.ts';
import '#compat/tables/metadata.ts';
import '#compat/tables/milestones.ts';
import '#compat/tables/namespaces.ts';
import '#compat/tables/never.ts';
import '#compat/tables/notes.ts';
import '#compat/tables/projects.ts';
import '#compat/tables/repository.ts';
import '#compat/tables/snippets.ts';
import '#compat/tables/users.ts';
import '#compat/tables/work_items.ts';
import { mutations } from '#compat/tables/mutations.ts';
import { query } from '#compat/tables/query.ts';

/** The tables of the roots. The others are looked up by their names. */
export const roots = { query, mutation: mutations };
