import { type Payload, time } from '#src/domain/webhooks/payload/common.ts';
import type { ProjectFacts, UserFacts } from '#src/domain/webhooks/payload/facts.ts';
import type { SystemEventKind } from '#src/domain/webhooks/payload/kinds.ts';

interface GroupFacts {
  id: number;
  name: string;
  path: string;
  fullPath: string;
  createdAt: string;
  updatedAt: string;
}

/** Which of these are present depends on the kind of the event. */
export interface SystemFacts {
  user: UserFacts;
  project: ProjectFacts;
  group: GroupFacts;
  key: { id: number; key: string; createdAt: string };
  accessLevel: number;
  createdAt: string;
  oldUsername: string;
  oldPath: string;
}

const LEVELS: Record<number, string> = { 10: 'Guest', 20: 'Reporter', 30: 'Developer', 40: 'Master', 50: 'Owner' };

/** The payload for a server event: flat, as receivers of system hooks expect it. */
export function systemPayload(kind: SystemEventKind, facts: SystemFacts): Payload {
  return { event_name: kind, ...body(kind, facts) };
}

function body(kind: SystemEventKind, facts: SystemFacts): Payload {
  const { user, project, group, key } = facts;
  switch (kind) {
    case 'project_create':
    case 'project_destroy':
    case 'project_update':
      return projectFields(project);
    case 'project_rename':
    case 'project_transfer':
      return { ...projectFields(project), old_path_with_namespace: facts.oldPath };
    case 'user_create':
    case 'user_destroy':
      return userFields(user);
    case 'user_rename':
      return { ...userFields(user), old_username: facts.oldUsername };
    case 'key_create':
    case 'key_destroy':
      return { created_at: time(key.createdAt), username: user.username, key: key.key, id: key.id };
    case 'group_create':
    case 'group_destroy':
      return {
        created_at: time(group.createdAt),
        updated_at: time(group.updatedAt),
        name: group.name,
        path: group.path,
        full_path: group.fullPath,
        group_id: group.id,
        owner_name: null,
        owner_email: null,
      };
    case 'user_add_to_group':
    case 'user_remove_from_group':
      return {
        created_at: time(facts.createdAt),
        group_name: group.name,
        group_path: group.path,
        group_id: group.id,
        ...memberFields(facts),
        group_access: LEVELS[facts.accessLevel] ?? null,
      };
    case 'user_add_to_team':
    case 'user_remove_from_team':
      return {
        created_at: time(facts.createdAt),
        project_name: project.name,
        project_path: project.path,
        project_path_with_namespace: project.fullPath,
        project_id: project.id,
        ...memberFields(facts),
        access_level: LEVELS[facts.accessLevel] ?? null,
        project_visibility: project.visibility,
      };
  }
}

function projectFields(project: ProjectFacts): Payload {
  return {
    created_at: time(project.createdAt),
    updated_at: time(project.updatedAt),
    name: project.name,
    path: project.path,
    path_with_namespace: project.fullPath,
    project_id: project.id,
    owner_name: project.ownerName,
    owner_email: project.ownerEmail,
    project_visibility: project.visibility,
  };
}

function userFields({ id, name, username, email, createdAt, updatedAt }: UserFacts): Payload {
  return { created_at: time(createdAt), updated_at: time(updatedAt), name, email, username, user_id: id };
}

function memberFields({ user: { id, name, username, email } }: SystemFacts): Payload {
  return { user_id: id, user_name: name, user_username: username, user_email: email };
}
