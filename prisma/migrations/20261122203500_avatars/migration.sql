-- Pictures that users upload of themselves: `avatar_key` is the name of the picture in its address, null without one.
ALTER TABLE "users" ADD COLUMN "avatar_key" TEXT;

CREATE TABLE "avatars" (
    "user_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "avatars_pkey" PRIMARY KEY ("user_id")
);

ALTER TABLE "avatars" ADD CONSTRAINT "avatars_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id")
    ON DELETE CASCADE ON UPDATE CASCADE;
