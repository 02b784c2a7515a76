import { builder } from '#schema/builder.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';

/** An issue or merge request, and where it is. */
export interface Referenced {
  /** `#` or `!`. */
  mark: '#' | '!';
  iid: number;
  projectFullPath: string;
  /** The namespace of its project. */
  namespaceId: number;
}

/** How texts refer to an issue or merge request. */
export const References = builder.objectRef<Referenced>('References').implement({
  description: 'How texts refer to an issue or merge request.',
  fields: (t) => ({
    short: t.string({
      description: 'Within its project, such as `!7`.',
      resolve: ({ mark, iid }) => `${mark}${iid}`,
    }),
    full: t.string({
      description: 'From anywhere, such as `group/project!7`.',
      resolve: ({ mark, iid, projectFullPath }) => `${projectFullPath}${mark}${iid}`,
    }),
    relative: t.string({
      description:
        'From a group: without the path of the group, such as `project!7`, if the project is directly in it; otherwise the same as `full`.',
      args: {
        group: t.arg({
          type: 'GroupRef',
          required: true,
          description: 'The group, by full path, global ID or numeric ID.',
        }),
      },
      resolve: ({ mark, iid, projectFullPath, namespaceId }, { group }) => {
        const name = projectFullPath.slice(projectFullPath.lastIndexOf('/') + 1);
        const isOwn = isNamespace(group, namespaceId, projectFullPath.slice(0, -name.length - 1));
        return `${isOwn ? name : projectFullPath}${mark}${iid}`;
      },
    }),
  }),
});

function isNamespace(group: IdOrPath, id: number, fullPath: string): boolean {
  return typeof group === 'number' ? group === id : group.toLowerCase() === fullPath.toLowerCase();
}
