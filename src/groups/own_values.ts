import { groupAccessLevel, groupVisible } from '#src/access/visibility.ts';
import { Prisma } from '#src/platform/db.ts';
import { ownValues } from '#src/platform/records/own_values.ts';

declare module '#src/platform/records/own_values.ts' {
  interface OwnValues {
    Namespace: {
      /** The effective level of the actor in the group: the highest of it and the groups around it; 0 without any. */
      accessLevel: number;
      /** Whether the actor may see it, where it is a group. */
      isVisible: boolean;
    };
  }
}

ownValues('Namespace', {
  accessLevel: (group, { given }) => given(({ actor }) => Prisma.sql`${groupAccessLevel(actor, group)}::int`),
  isVisible: (group, { given }) => given(({ actor }) => groupVisible(actor, group)),
});
