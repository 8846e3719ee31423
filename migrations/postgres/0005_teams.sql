CREATE TABLE "team_members" (
	"team_id" text NOT NULL,
	"user_id" text NOT NULL,
	CONSTRAINT "team_members_pk" PRIMARY KEY("team_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "team_workspaces" (
	"id" text NOT NULL,
	"team_id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"access" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "team_workspaces_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"is_owners" boolean NOT NULL,
	"visibility" text NOT NULL,
	"sso_team_id" text,
	"allow_member_token_management" boolean NOT NULL,
	"organization_access" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "teams_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "team_id" text;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_team_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_members" ADD CONSTRAINT "team_members_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_workspaces" ADD CONSTRAINT "team_workspaces_team_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_workspaces" ADD CONSTRAINT "team_workspaces_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "team_members_user_idx" ON "team_members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "team_workspaces_key" ON "team_workspaces" USING btree ("team_id","workspace_id");--> statement-breakpoint
CREATE INDEX "team_workspaces_workspace_idx" ON "team_workspaces" USING btree ("workspace_id");--> statement-breakpoint
CREATE UNIQUE INDEX "teams_name_key" ON "teams" USING btree ("organization_id","name_key");--> statement-breakpoint
CREATE INDEX "tokens_team_idx" ON "tokens" USING btree ("team_id");--> statement-breakpoint
-- Organizations that are there already get the team of their owners.
INSERT INTO "teams" ("id", "organization_id", "name", "name_key", "is_owners", "visibility", "allow_member_token_management", "organization_access", "created_at", "updated_at")
SELECT 'team-' || substr("id", 5), "id", 'owners', 'owners', true, 'secret', true, '[]'::jsonb, "created_at", "created_at" FROM "organizations";--> statement-breakpoint
INSERT INTO "team_members" ("team_id", "user_id")
SELECT 'team-' || substr("organization_id", 5), "user_id" FROM "organization_memberships" WHERE "role" = 'owner';