import type { Settings } from '#src/domain/integrations/base/field.ts';
import type { LinkedPage } from '#src/domain/integrations/base/kind.ts';
import { KINDS, kindOf } from '#src/domain/integrations/kinds.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

/** The kinds that pages and texts link to. */
const LINKED = KINDS.filter(({ pages, issueUrl }) => pages || issueUrl).map(({ slug }) => slug);

interface Linked {
  project: number;
  slug: string;
  properties: Settings;
}

/** The active integrations of projects that pages and texts link to, by project, in one statement. */
async function linkedOf(db: Db | Transaction, projectIds: readonly number[]): Promise<Map<number, Linked[]>> {
  const ids = [...new Set(projectIds)];
  const found = await db.$queryRaw<Linked[]>`
    SELECT p.id AS project, i.slug, i.properties FROM unnest(${ids}::int[]) p (id) CROSS JOIN LATERAL integrations_of(p.id) i
    WHERE i.active AND i.slug = ANY(${LINKED}::text[]) ORDER BY p.id, i.slug`;
  return Map.groupBy(found, ({ project }) => project);
}

/** Pages elsewhere that the navigation of projects leads to: of each project in the order given. */
export async function linkedPages(db: Db, projectIds: readonly number[]): Promise<LinkedPage[][]> {
  const linked = await linkedOf(db, projectIds);
  return projectIds.map((id) =>
    (linked.get(id) ?? []).flatMap(({ slug, properties }) => kindOf(slug)?.pages?.(properties) ?? []),
  );
}

/** Where references of a project to issues elsewhere lead, by how they are written: null for those that lead nowhere. */
export type IssueUrls = (projectId: number, written: string) => string | null;

/** The addresses of issues elsewhere for the texts of projects, in one statement. */
export async function externalIssueUrls(db: Db | Transaction, projectIds: readonly number[]): Promise<IssueUrls> {
  const linked = projectIds.length === 0 ? new Map<number, Linked[]>() : await linkedOf(db, projectIds);
  return (projectId, written) => {
    for (const { slug, properties } of linked.get(projectId) ?? []) {
      const url = kindOf(slug)?.issueUrl?.(properties, written) ?? null;
      if (url !== null) return url;
    }
    return null;
  };
}
