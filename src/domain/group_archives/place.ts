/** The version of the format of archives of groups that this server writes and reads (docs/group-archives.md). */
export const FORMAT = { format: 'gantry-group', version: 1 } as const;

/** Names of files of an archive besides those of the kinds. */
export const GROUPS = 'groups';
export const LEFT_OUT = 'left_out';
/** The directories of pictures and of wikis, by the IDs of the groups: `avatars/<id>`, `wikis/<id>.bundle`. */
export const AVATARS = 'avatars';
export const WIKIS = 'wikis';

/** The name of an archive in its store. */
export const ARCHIVE = 'group.tar.gz';

/** Groups of one archive, the outermost one among them. */
export const MAX_GROUPS = 10_000;

/** What a group has that an archive names, but does not take along; `relation` is what there is nothing for here. */
export const LEFT_OUT_KINDS = [
  'variable',
  'webhook',
  'integration',
  'access_token',
  'deploy_token',
  'relation',
] as const;
export type LeftOutKind = (typeof LEFT_OUT_KINDS)[number];
