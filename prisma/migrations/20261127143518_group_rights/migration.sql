-- CreateEnum
CREATE TYPE "creation_level" AS ENUM ('noone', 'administrator', 'owner', 'maintainer', 'developer');

-- CreateEnum
CREATE TYPE "subgroup_creation_level" AS ENUM ('owner', 'maintainer');

-- AlterTable
ALTER TABLE "namespaces" ADD COLUMN     "prevent_sharing_groups_outside_hierarchy" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "project_creation_level" "creation_level" NOT NULL DEFAULT 'maintainer',
ADD COLUMN     "share_with_group_lock" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "subgroup_creation_level" "subgroup_creation_level" NOT NULL DEFAULT 'owner';
