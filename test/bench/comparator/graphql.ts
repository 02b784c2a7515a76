import express, { type Request } from 'express';
import { access, authenticate } from './access.ts';
import { baseUrl, Refusal, sendJson } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { readIssues } from './issues.ts';
import { LABELS, NOTES_COUNT, WEB_URL } from './issues_sql.ts';
import { graphqlJson, restJson, timestamp, user } from './json.ts';
import { visible } from './projects.ts';

type Variables = Readonly<Record<string, unknown>>;

/** What the operations of `documents.ts` are answered with, each by its name. */
const operations: Readonly<Record<string, (request: Request, variables: Variables) => Promise<string>>> = {
  Nothing: async (request) => {
    await authenticate(request);
    return '{"data":{"__typename":"Query"}}';
  },
  Issues: async (request, { ref, limit }) => {
    const granted = await access(request, ref);
    const { body, total } = await readIssues(request, granted, undefined, [Number(limit), 0], ['graphql', graphqlJson]);
    return `{"data":{"project":{"issues":{"totalCount":${total},"nodes":${body}}}}}`;
  },
  Projects: async (request, { limit, offset, issues }) => {
    const { id, admin, external } = await authenticate(request);
    const values = [baseUrl(request), id, admin, external, limit, offset, issues];
    const row = await one<{ body: string }>('projects-issues', () => PROJECTS, values);
    return `{"data":{"projects":{"nodes":${row?.body}}}}`;
  },
};

app.post('/graphql', express.json(), async (request, response) => {
  const { operationName, variables } = request.body ?? {};
  const operation = operations[String(operationName)];
  if (!operation) throw new Refusal(400, 'There is no such operation');
  sendJson(response, 200, await operation(request, variables ?? {}));
});

const issue = graphqlJson({
  id: 'i.id',
  iid: 'i.iid',
  title: 'i.title',
  state: 'i.state',
  created_at: timestamp('i.created_at'),
  labels: LABELS,
  author: graphqlJson(user('au')),
  user_notes_count: NOTES_COUNT,
  web_url: WEB_URL,
});

/** The issues of the project `p` that the user sees; those who report see them all. */
const SEEN = `i.project_id = p.id AND i.deleted_at IS NULL
  AND (NOT i.confidential OR l.secrets OR i.author_id = $2 OR i.assignee_id = $2)`;

/** Projects with the first issues of each. Parameters: base URL, user, whether they administrate or are external, limit, offset, issues. */
const PROJECTS = `SELECT COALESCE(json_agg(${restJson({
  databaseId: 'p.id',
  name: 'p.name',
  fullPath: `ns.full_path || '/' || p.path`,
  issues: restJson({ totalCount: 'counted.total', nodes: 'list.nodes' }),
})} ORDER BY p.created_at DESC, p.id DESC), '[]')::text AS body
  FROM (SELECT p.* FROM projects p JOIN namespaces ns ON ns.id = p.namespace_id
      WHERE ${visible('p', 'ns', ['$2', '$3', '$4'])} ORDER BY p.created_at DESC, p.id DESC LIMIT $5 OFFSET $6) p
  JOIN namespaces ns ON ns.id = p.namespace_id JOIN project_counters c ON c.project_id = p.id
  CROSS JOIN LATERAL (SELECT $3 OR COALESCE(max(m.access_level), 0) >= 20 AS secrets FROM members m
    WHERE m.user_id = $2 AND (m.project_id = p.id OR m.namespace_id = ANY(ns.lineage))
      AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date)) l
  CROSS JOIN LATERAL (SELECT CASE WHEN l.secrets THEN c.opened + c.closed
    ELSE (SELECT count(*) FROM issues i WHERE ${SEEN}) END AS total) counted
  CROSS JOIN LATERAL (SELECT COALESCE(json_agg(${issue} ORDER BY i.created_at DESC, i.id DESC), '[]') AS nodes
    FROM (SELECT i.* FROM issues i WHERE ${SEEN} ORDER BY i.created_at DESC, i.id DESC LIMIT $7) i
    JOIN users au ON au.id = i.author_id) list`;
