import { Prisma } from '#src/platform/db.ts';

/** A milestone; times are ISO 8601, dates YYYY-MM-DD. */
export interface MilestoneRow {
  id: number;
  iid: number;
  projectId: number;
  title: string;
  description: string | null;
  state: 'active' | 'closed';
  startDate: string | null;
  dueDate: string | null;
  createdAt: string;
  updatedAt: string;
}

/** A MilestoneRow as JSON from the row under a table alias, null when the outer join found none. */
export function milestoneJson(alias: string): Prisma.Sql {
  const c = (name: string) => Prisma.raw(`${alias}.${name}`);
  return Prisma.sql`CASE WHEN ${c('id')} IS NULL THEN NULL ELSE json_build_object('id', ${c('id')}, 'iid', ${c('iid')},
    'projectId', ${c('project_id')}, 'title', ${c('title')}, 'description', ${c('description')}, 'state', ${c('state')},
    'startDate', ${c('start_date')}, 'dueDate', ${c('due_date')}, 'createdAt', ${c('created_at')},
    'updatedAt', ${c('updated_at')}) END`;
}
