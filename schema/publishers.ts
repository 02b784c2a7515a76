import { builder } from '#schema/builder.ts';
import { ContainerTag } from '#schema/container_registry/types.ts';
import { Actor } from '#schema/interfaces.ts';
import { type End, end } from '#schema/node/end.ts';
import { Package } from '#schema/packages/types.ts';

const UNSEEN = 'null if they are gone, if they are not known, and if the caller cannot see them.';

/** A user, or else the deploy token in their place. */
function userOr(deployTokenId: number | null, userId: number | null): End {
  return deployTokenId === null ? ['User', userId] : ['DeployToken', deployTokenId];
}

builder.prismaObjectFields(Package, (t) => ({
  publisher: t.field({
    type: Actor,
    nullable: true,
    description: `The user or deploy token that published the package first; ${UNSEEN}`,
    select: { creatorId: true, deployTokenId: true },
    resolve: end(({ creatorId, deployTokenId }) => userOr(deployTokenId, creatorId)),
  }),
}));

builder.prismaObjectFields(ContainerTag, (t) => ({
  pushedBy: t.field({
    type: Actor,
    nullable: true,
    description: `The user or deploy token that last pushed the tag; ${UNSEEN}`,
    select: { pushedById: true, deployTokenId: true },
    resolve: end(({ pushedById, deployTokenId }) => userOr(deployTokenId, pushedById)),
  }),
}));
