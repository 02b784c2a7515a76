import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { Refusal } from './answer.ts';
import { one } from './database.ts';

/** Who asks. */
export interface User {
  id: number;
  admin: boolean;
  external: boolean;
}

/** Who asks, for a project that they see. */
export interface Access {
  userId: number;
  projectId: number;
  /** Whether they see confidential issues of others, as reporters do, who read commits and pipelines too. */
  secrets: boolean;
}

const WHO = `SELECT id, admin, external FROM users WHERE private_token_hash = $1 AND state = 'active'`;

/** A project that the user may see, and whether its confidential issues too. */
const PROJECT = `SELECT GREATEST(p.level, CASE WHEN $3 THEN 50 ELSE 0 END) >= 20 AS secrets FROM (
    SELECT p.visibility, COALESCE((SELECT max(m.access_level) FROM members m WHERE m.user_id = $2
      AND (m.project_id = p.id OR m.namespace_id = ANY(ns.lineage))
      AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date)), 0) AS level
    FROM projects p JOIN namespaces ns ON ns.id = p.namespace_id WHERE p.id = $1) p
  WHERE p.level > 0 OR $3 OR p.visibility = 'public' OR p.visibility = 'internal' AND NOT $4`;

/** Who asks, by their private token. */
export async function authenticate(request: Request): Promise<User> {
  const hash = createHash('sha256')
    .update(request.get('private-token') ?? '')
    .digest();
  const user = await one<User>('who', () => WHO, [hash]);
  if (!user) throw new Refusal(401, '401 Unauthorized');
  return user;
}

/** Who asks, and whether they may see the project. */
export async function access(request: Request, id: unknown): Promise<Access> {
  const user = await authenticate(request);
  const projectId = Number(id);
  const project = await one<{ secrets: boolean }>('project', () => PROJECT, [
    projectId,
    user.id,
    user.admin,
    user.external,
  ]);
  if (!project) throw new Refusal(404, '404 Project Not Found');
  return { userId: user.id, projectId, secrets: project.secrets };
}

/** As access, for what only reporters read. */
export async function reporterAccess(request: Request, id: unknown): Promise<Access> {
  const granted = await access(request, id);
  if (!granted.secrets) throw new Refusal(403, '403 Forbidden');
  return granted;
}
