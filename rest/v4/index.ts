import type { Route } from '#rest/engine/route.ts';
import { events } from '#rest/v4/events.ts';
import { groups } from '#rest/v4/groups.ts';
import { issues } from '#rest/v4/issues.ts';
import { labels } from '#rest/v4/labels.ts';
import { milestones } from '#rest/v4/milestones.ts';
import { projects } from '#rest/v4/projects.ts';
import { settings } from '#rest/v4/settings.ts';
import { users } from '#rest/v4/users.ts';

/** Every route of the REST API. */
export const routes: Route[] = [
  ...users,
  ...groups,
  ...projects,
  ...issues,
  ...labels,
  ...milestones,
  ...events,
  ...settings,
];
